#pragma once

#include <convene/actors/behaviours/acting.hpp>
#include <convene/protocol/base/api.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace convene::actors {

/// Ends one attempt at an action, now or later, on any thread: the first end
/// counts. Copies end the same attempt. Thread-safe; may outlive the session.
class action_responder {
public:
  CONVENE_API action_responder(attempt which, when_acted then);

  /// Its number, its idempotency key and the time that it has.
  [[nodiscard]] CONVENE_API const attempt& which() const noexcept;

  /// These return false if the attempt is over; nothing was sent. Bounds of an
  /// output are those of `live_turn::act`.
  CONVENE_API bool end(protocol::action_result how) const;
  CONVENE_API bool complete(protocol::json::value output,
                            protocol::usage used = {}) const;
  /// `code` is in snake_case. Only what is `transient` is tried again.
  CONVENE_API bool fail(std::string code, std::string message,
                        bool transient = false) const;

  /// Whether it has ended, or nobody waits for it any more: it timed out, or
  /// its turn closed.
  [[nodiscard]] CONVENE_API bool is_over() const;

  /// Calls `then` once, on any thread, when nobody waits for it any more; at
  /// once if that is so already, never after it has ended. One function for
  /// each attempt, the latest. `then` must not block or throw.
  CONVENE_API void when_cancelled(std::function<void()> then) const;

  /// For the layer: nobody waits for it.
  CONVENE_API void cancel() const;

private:
  struct state;
  std::shared_ptr<state> state_;
};

/// Begins an attempt at an action and returns at once; the responder takes the
/// result. Called on any thread, for several actions at a time: must be
/// thread-safe and must not block. An exception fails the attempt as
/// `attempt_threw`, unless it has ended.
using execute_function
  = std::function<void(const protocol::action&, action_responder)>;

/// How the application carries out actions of one name. Each attempt is on the
/// log when it begins and when it ends; an action whose result is on the log is
/// not carried out again.
struct executor {
  std::string name; ///< of its actions, on the log; at most 1 KiB
  execute_function execute;
  /// Whether doing it twice is harmless, see `protocol::action`. Only then a
  /// time-out is transient.
  bool repeatable = false;
  /// Of one attempt, which then fails as `timed_out` and is cancelled; 0: until
  /// the turn closes.
  std::int64_t timeout_ms = 0;
  retry_policy retry;
  /// For models, who can be given it as a tool: what it does, and the JSON
  /// Schema of its arguments, an object; empty: any object.
  std::string description;
  protocol::json::object input_schema;
};

/// The action `arguments` of `by` at this place in its turn.
[[nodiscard]] protocol::action action_of(const executor& by,
                                         std::string position,
                                         protocol::json::value arguments);

/// Attempts at it.
[[nodiscard]] attempt_function attempts_of(const executor& by,
                                           protocol::action what);

} // namespace convene::actors
