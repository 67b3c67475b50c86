#pragma once

#include <convene/actors/behaviours/behaviour.hpp>

#include <memory>
#include <utility>

namespace convene::host {

/// Where people are asked: a terminal, a page. Thread-safe.
class people {
public:
  virtual ~people() = default;

  /// Puts a request to the person `asked.participant`. It is answered by
  /// `asked.live->answer`, and withdrawn when `asked.live` is over; both may
  /// happen at any time and on any thread. Must not block or throw.
  virtual void ask(actors::turn_request asked) = 0;
};

/// A person: `{"type": "human"}`. Nobody is hurried: the request is answered
/// when the person answers it, or times out as such.
class human final : public actors::behaviour {
public:
  explicit human(std::shared_ptr<people> where) : where_(std::move(where)) {}

  actors::answer respond(const actors::turn_request& asked) override;

  [[nodiscard]] bool answers_later() const noexcept override {
    return true;
  }

  void begin(actors::turn_request asked) override {
    where_->ask(std::move(asked));
  }

private:
  std::shared_ptr<people> where_;
};

} // namespace convene::host
