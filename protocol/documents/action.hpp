#pragma once

#include <convene/protocol/documents/reply.hpp>

#include <cstdint>
#include <string>

// What participants do outside of their session, as the log has it: MPLP's
// action execution layer (AEL).

namespace convene::protocol {

enum class action_kind : std::uint8_t {
  function, ///< code of the application
  process,  ///< a program
  http,     ///< a service
  model,    ///< a language model
  mcp,      ///< a tool of an MCP server
  person,
};
CONVENE_WORDS(action_kind, "function", "process", "http", "model", "mcp",
              "person");

/// What is to be done. The log has all of it but `timeout_ms` and `question`,
/// so it contains no secrets.
struct action {
  /// Its place in the turn, like "2.0": the round of the conversation with the
  /// model and the index in the model's answer. Never the order in which
  /// actions happened to start.
  std::string position;
  action_kind kind = action_kind::function;
  std::string name; ///< of the program, host, model or tool
  json::value arguments;
  /// Whether doing it twice is harmless. Else it begins only when the event
  /// that says so is on disk, and is not begun again if its outcome is unknown.
  bool repeatable = false;
  std::int64_t timeout_ms = 0; ///< of one attempt; 0: until the turn closes
  /// A digest of what is asked, if the arguments do not have all of it: the
  /// idempotency key is for this question alone.
  std::string question = {};

  bool operator==(const action&) const = default;
};

enum class action_status : std::uint8_t {
  completed,
  failed,
  timed_out,
  cancelled,
};
CONVENE_WORDS(action_status, "completed", "failed", "timed_out", "cancelled");

/// Why an action did not complete.
struct action_error {
  std::string code; ///< snake_case
  std::string message;
  bool transient = false; ///< another attempt may succeed
  /// How long to wait before it, as the other side says; below 0: it does not.
  std::int64_t retry_after_ms = -1;

  bool operator==(const action_error&) const = default;
};

/// What came of an attempt.
struct action_result {
  action_status status = action_status::completed;
  json::value output; ///< null unless completed
  action_error error; ///< empty if completed
  protocol::usage usage;

  bool operator==(const action_result&) const = default;
};

} // namespace convene::protocol
