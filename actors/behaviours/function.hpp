#pragma once

#include <convene/actors/behaviours/behaviour.hpp>

#include <functional>

namespace convene::actors {

using reply_function = std::function<protocol::reply(const turn_request&)>;

enum class blocking : bool { no, yes };

/// Calls a function of the application. An exception becomes a failed reply
/// with the error code `behaviour_threw`.
class function_behaviour final : public behaviour {
public:
  explicit function_behaviour(reply_function ask,
                              blocking may_block = blocking::yes)
    : ask_{std::move(ask)}, may_block_{may_block} {
    // nop
  }

  answer respond(const turn_request& asked) override;

  [[nodiscard]] bool blocks() const noexcept override {
    return may_block_ == blocking::yes;
  }

private:
  reply_function ask_;
  blocking may_block_;
};

} // namespace convene::actors
