#pragma once

#include <convene/protocol/conversation/run_event.hpp>
#include <convene/protocol/workflow/definition.hpp>
#include <convene/protocol/workflow/orchestrator.hpp>

namespace convene::protocol {

/// The types of events that a run is made of; conversation.* are in
/// run_event.hpp, and replay.diverged changes nothing.
enum class workflow_event_type : std::uint8_t {
  run_started,
  run_completed,
  run_failed,
  run_cancelled,
  run_paused,
  run_resumed,
  node_started,
  node_completed,
  node_failed,
  node_retried,
  node_skipped,
  node_cancelled,
  node_dispatched,
  node_suspended,
  interrupt_requested,
  interrupt_resolved,
  node_resumed,
  channel_written,
  variable_changed,
  cap_breached,
  orchestrator_decided,
  replay_diverged
};
CONVENE_WORDS(workflow_event_type, "run.started", "run.completed", "run.failed",
              "run.cancelled", "run.paused", "run.resumed", "node.started",
              "node.completed", "node.failed", "node.retried", "node.skipped",
              "node.cancelled", "node.dispatched", "node.suspended",
              "interrupt.requested", "interrupt.resolved", "node.resumed",
              "channel.written", "variable.changed", "cap.breached",
              "runOrchestrator.decided", "replay.diverged");

/// The codes for inputs that a run does not take.
enum class run_refusal_code : std::uint8_t {
  validation_error,           ///< HTTP 400
  interrupt_not_found,        ///< 404
  interrupt_already_resolved, ///< 409
  interrupt_cancelled,        ///< 422
  conflict,                   ///< 409: the run does not stand so
  internal_error              ///< 500: the host's own mistake
};
CONVENE_WORDS(run_refusal_code, "validation_error", "interrupt_not_found",
              "interrupt_already_resolved", "interrupt_cancelled", "conflict",
              "internal_error");

enum class fork_mode : std::uint8_t { replay, branch };
CONVENE_WORDS(fork_mode, "replay", "branch");

/// What a forked run comes from.
struct run_fork {
  std::string run_id;
  std::int64_t from_seq = 0;  ///< as it was asked for
  std::int64_t inherited = 0; ///< events that were copied
  fork_mode mode = fork_mode::replay;
  std::string ids_of; ///< the run that ids of what it opens are made of

  bool operator==(const run_fork&) const = default;
};

/// Why a run or a node failed.
struct run_failure {
  std::string code;
  std::string message;
  std::optional<json::object> details;
  std::optional<bool> retryable; ///< absent: it is

  bool operator==(const run_failure&) const = default;
};

// The payloads of the events of runs and nodes. Members that are unknown are
// kept, except where there can be none.

/// The run that a child run was started for.
struct run_parent {
  std::string run_id;
  std::string node_id;
  std::int64_t depth = 1;   ///< of the child: runs above it
  bool is_detached = false; ///< it goes on if its parent is stopped

  bool operator==(const run_parent&) const = default;
};

struct run_started {
  std::string workflow_id;
  std::optional<std::string> workflow_version;
  std::optional<std::string> workflow_digest; ///< of the definition
  json::object inputs;
  json::object configurable;
  std::vector<std::string> tags;
  json::object metadata;
  std::optional<std::string> transport;
  /// Of a start that can be repeated: whom it has told of the end, hashed.
  std::optional<std::string> callback_digest;
  /// Of a workflow with a dispatch: whether people are asked in conversations.
  std::optional<bool> conversation_primitive;
  std::optional<run_parent> parent; ///< of a child run
  std::optional<run_fork> forked_from;
  json::object others;

  bool operator==(const run_started&) const = default;
};

struct run_completed {
  std::optional<std::string> reason; ///< why an orchestrator ended it
  std::optional<std::int64_t> duration_ms;
  json::object others;

  bool operator==(const run_completed&) const = default;
};

struct run_failed {
  run_failure error;
  std::optional<std::string> failed_node_id;
  std::optional<std::int64_t> duration_ms;
  json::object others;

  bool operator==(const run_failed&) const = default;
};

struct run_cancelled {
  std::optional<std::string> reason;
  std::optional<std::string> cancelled_by;
  std::optional<std::int64_t> duration_ms;
  json::object others;

  bool operator==(const run_cancelled&) const = default;
};

/// Of run.paused and run.resumed.
struct run_paused {
  std::optional<std::string> reason;
  std::optional<std::string> policy; ///< what becomes of nodes that run
  json::object others;

  bool operator==(const run_paused&) const = default;
};

struct node_started {
  std::string node_id;
  std::string type_id;
  std::int64_t attempt = 0;              ///< from 0
  std::optional<std::string> due_at;     ///< when it ends, or fails, by itself
  std::optional<std::string> session_id; ///< of the session that it runs
  json::object others;

  bool operator==(const node_started&) const = default;
};

struct node_completed {
  std::string node_id;
  std::optional<json::object> outputs;
  std::optional<std::int64_t> duration_ms;
  json::object others;

  bool operator==(const node_completed&) const = default;
};

struct node_failed {
  std::string node_id;
  run_failure error;
  std::optional<std::int64_t> attempts;
  json::object others;

  bool operator==(const node_failed&) const = default;
};

/// Of node.retried, node.skipped and node.cancelled.
struct node_noted {
  std::string node_id;
  std::optional<std::string> reason;
  json::object others;

  bool operator==(const node_noted&) const = default;
};

/// A child run of a node is started.
struct node_dispatched {
  std::string node_id;
  std::string workflow_id;
  std::string child_run_id;
  json::object others;

  bool operator==(const node_dispatched&) const = default;
};

/// A child run that completed has changed a variable of its parent.
struct variable_changed {
  std::string name;
  any_value value;
  std::string node_id;
  std::string child_run_id;
  std::string child_variable;
  json::object others;

  bool operator==(const variable_changed&) const = default;
};

/// Closed.
struct channel_written {
  std::string channel;
  any_value value; ///< what was written, not what the channel has then
  channel_reducer reducer = channel_reducer::append;
  std::string written_at;
  std::optional<std::string> node_id;

  bool operator==(const channel_written&) const = default;
};

struct cap_breached {
  std::string kind;
  std::int64_t limit = 0;
  std::int64_t observed = 0;
  std::optional<std::string> node_id;
  json::object others;

  bool operator==(const cap_breached&) const = default;
};

/// Of runOrchestrator.decided.
struct orchestrator_decided {
  std::string agent_id;
  orchestrator_decision decision;
  json::object others;

  bool operator==(const orchestrator_decided&) const = default;
};

/// How a replay differs from what is recorded.
enum class divergence_kind : std::uint8_t {
  output,       ///< another payload
  missing,      ///< an event is not there again
  extra,        ///< an event was not there before
  type_mismatch ///< another event
};
CONVENE_WORDS(divergence_kind, "output", "missing", "extra", "type-mismatch");

struct replay_diverged {
  std::string source_run_id;
  std::int64_t at_sequence = 0; ///< in the source
  std::optional<std::string> original_event_id;
  std::optional<std::string> replay_event_id;
  std::optional<divergence_kind> kind;
  std::optional<std::string> point;  ///< the type of the event
  std::optional<std::string> reason; ///< why an answer was not taken as it was

  bool operator==(const replay_diverged&) const = default;
};

} // namespace convene::protocol
