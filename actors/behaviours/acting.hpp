#pragma once

#include <convene/protocol/documents/action.hpp>
#include <convene/protocol/documents/trace_context.hpp>

#include <cstdint>
#include <functional>
#include <string>

// How a behaviour acts outside of its session: by `live_turn::act`.

namespace convene::actors {

/// How often an action is tried, as long as its errors are transient.
struct retry_policy {
  std::uint32_t attempts = 1;
  /// Before the second attempt; doubled for each one after it, with jitter. An
  /// error's `retry_after_ms` counts if it is longer.
  std::int64_t first_delay_ms = 500;
  std::int64_t longest_delay_ms = 30'000;

  bool operator==(const retry_policy&) const = default;
};

/// One attempt at an action.
struct attempt {
  std::uint32_t number = 1; ///< from 1
  /// The same for all attempts, also after a crash: the turn's token, the
  /// action's position and a digest of its name, arguments and question. No key
  /// is ever that of two questions.
  std::string idempotency_key;
  std::int64_t timeout_ms = 0; ///< what is left of the turn at most
  /// What a service that is called gets, so that its spans are below the
  /// attempt's (docs/observability.md). Empty texts without a session.
  protocol::trace_context trace = {};
};

/// What an attempt at the action at this position hands on.
using attempt_tracer = std::function<protocol::trace_context(
  const std::string& position, std::uint32_t attempt)>;

/// Receives the result of an attempt or action; called once, on any thread.
using when_acted = std::function<void(protocol::action_result)>;

/// Ends an attempt that is under way; `when_acted` may or may not be called
/// after it, and its result no longer counts. Callable once, on any thread,
/// also when the attempt is over.
using cancel_function = std::function<void()>;

/// Begins an attempt and returns at once. Ends it by itself after the attempt's
/// `timeout_ms`, with the status `timed_out`. May call back before it returns.
using attempt_function
  = std::function<cancel_function(const attempt&, when_acted)>;

} // namespace convene::actors
