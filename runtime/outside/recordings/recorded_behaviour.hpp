#pragma once

#include <convene/actors/behaviours/behaviour.hpp>
#include <convene/runtime/outside/recordings/recording.hpp>

#include <memory>
#include <utility>

namespace convene::host {

/// Gives the answers of a recording again, the n-th of a kind to the n-th
/// request of that kind, after the delay that is recorded. A request whose
/// answer is not recorded fails as `recording_exhausted`.
class recorded_behaviour final : public actors::behaviour {
public:
  /// Null: of somebody who was never asked.
  explicit recorded_behaviour(std::shared_ptr<const recording> what)
    : what_(std::move(what)) {}

  actors::answer respond(const actors::turn_request& asked) override;

  [[nodiscard]] bool acts_outside() const noexcept override {
    return false;
  }

private:
  std::shared_ptr<const recording> what_;
};

} // namespace convene::host
