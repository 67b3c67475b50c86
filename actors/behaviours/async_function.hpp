#pragma once

#include <convene/actors/behaviours/behaviour.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace convene::actors {

/// Answers one request, now or later, on any thread. Copies answer the same
/// one. Thread-safe; may outlive the session.
class responder {
public:
  explicit responder(std::shared_ptr<live_turn> turn)
    : turn_{std::move(turn)} {}

  /// False: the turn is over or answered; nothing was sent.
  bool answer(protocol::reply what) const {
    return turn_->answer(std::move(what));
  }

  /// Whether nobody waits for the answer any more. To be told of it:
  /// `turn().when_over`.
  [[nodiscard]] bool is_over() const {
    return turn_->is_over();
  }

  /// For writes, claims and actions before the answer.
  [[nodiscard]] live_turn& turn() const noexcept {
    return *turn_;
  }

private:
  std::shared_ptr<live_turn> turn_;
};

using async_reply_function
  = std::function<void(const turn_request&, responder)>;

/// Calls a function of the application that answers later. It is called in the
/// participant's actor and must not block. An exception becomes a failed reply
/// with the error code `behaviour_threw`, unless it has answered.
class async_function_behaviour final : public behaviour {
public:
  explicit async_function_behaviour(async_reply_function ask)
    : ask_{std::move(ask)} {
    // nop
  }

  /// Never called, as it answers later.
  answer respond(const turn_request& asked) override;

  [[nodiscard]] bool answers_later() const noexcept override {
    return true;
  }

  void begin(turn_request asked) override;

private:
  async_reply_function ask_;
};

} // namespace convene::actors
