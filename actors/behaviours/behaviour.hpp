#pragma once

#include <convene/actors/behaviours/turn_request.hpp>
#include <convene/protocol/documents/reply.hpp>

#include <cstdint>

namespace convene::actors {

/// A behaviour's answer and its timing.
struct answer {
  protocol::reply reply;
  std::int64_t delay_ms = 0; ///< deliver the reply after this delay
  bool silent = false;       ///< never deliver it

  bool operator==(const answer&) const = default;
};

/// How a participant produces its answers.
class behaviour {
public:
  behaviour() = default;
  behaviour(const behaviour&) = delete;
  behaviour& operator=(const behaviour&) = delete;
  virtual ~behaviour() = default;

  /// Must not throw. A blocking behaviour can be called again, from another
  /// thread, while a call whose turn has timed out is still running.
  virtual answer respond(const turn_request& asked) = 0;

  /// Whether `respond` may take long. If so, it runs on a thread for blocking
  /// calls, otherwise in the participant's actor.
  [[nodiscard]] virtual bool blocks() const noexcept {
    return false;
  }

  /// Whether it answers by `begin` instead of `respond`.
  [[nodiscard]] virtual bool answers_later() const noexcept {
    return false;
  }

  /// Begins to work on a request and returns at once. `asked.live` is set: the
  /// behaviour acts by `live_turn::act` and answers by `live_turn::answer`,
  /// once, now or later, on any thread; what it does ends when the turn is
  /// over. Must not throw or block. Called in the participant's actor.
  // NOLINTNEXTLINE(performance-unnecessary-value-param): kept by others
  virtual void begin(turn_request /*asked*/) {}

  /// Whether `respond` may have effects outside the session. With durability
  /// `strict` it is called only once everything that led to the call is on
  /// disk.
  [[nodiscard]] virtual bool acts_outside() const noexcept {
    return true;
  }
};

} // namespace convene::actors
