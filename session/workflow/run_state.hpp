#pragma once

#include <convene/protocol/workflow/run_payloads.hpp>
#include <convene/session/workflow/run_channels.hpp>

namespace convene::session {

/// How a run stands; the last three are its end.
enum class run_status : std::uint8_t {
  pending,
  running,
  paused,
  waiting_approval,
  waiting_input,
  waiting_external,
  completed,
  failed,
  cancelled
};

/// How a node of a run stands.
enum class run_node_status : std::uint8_t {
  pending,
  running,
  suspended,
  completed,
  failed,
  skipped,
  cancelled
};

} // namespace convene::session

namespace convene::protocol {

inline constexpr std::string_view run_status_words[]{
  "pending",          "running",       "paused",
  "waiting-approval", "waiting-input", "waiting-external",
  "completed",        "failed",        "cancelled"};
template <>
inline constexpr std::span<const std::string_view>
  words_of<session::run_status>{run_status_words};

inline constexpr std::string_view run_node_status_words[]{
  "pending", "running", "suspended", "completed",
  "failed",  "skipped", "cancelled"};
template <>
inline constexpr std::span<const std::string_view>
  words_of<session::run_node_status>{run_node_status_words};

} // namespace convene::protocol

namespace convene::session {

[[nodiscard]] constexpr bool is_end(run_status status) noexcept {
  return status >= run_status::completed;
}

/// What a node waits for, or waited for last.
struct node_interrupt {
  std::string id;
  std::string key;
  protocol::interrupt_kind kind = protocol::interrupt_kind::approval;
  std::int64_t sequence = 0;                 ///< of node.suspended
  std::optional<protocol::any_value> answer; ///< what it was resolved with
  std::string requested_by;                  ///< id of interrupt.requested

  bool operator==(const node_interrupt&) const = default;
};

/// What the run's orchestrator decided.
struct run_decision {
  std::string event_id; ///< of runOrchestrator.decided
  std::string agent_id;
  protocol::orchestrator_decision what;

  bool operator==(const run_decision&) const = default;
};

/// A child run of a node.
struct run_child {
  std::string run_id;
  std::string workflow_id;
  std::size_t node = 0;          ///< whose child it is
  bool has_given = false;        ///< variables to its parent
  std::optional<run_status> end; ///< absent: the node waits for it

  bool operator==(const run_child&) const = default;
};

struct run_node {
  run_node_status status = run_node_status::pending;
  std::int64_t attempts = 0; ///< how often it was started
  std::string latest_event;  ///< id of the latest one that concerns it
  protocol::timestamp_ms started_at = 0;
  protocol::timestamp_ms ended_at = 0;
  std::int64_t ended_by = -1; ///< number of the event that ended it
  /// When a delay is over, or what it waits for has taken too long.
  std::optional<protocol::timestamp_ms> deadline;
  std::optional<std::string> session_id;
  std::optional<std::size_t> child; ///< among the run's: the attempt's latest
  std::size_t children = 0;         ///< of the latest attempt
  std::optional<node_interrupt> interrupt; ///< of the latest attempt
  bool is_resumed = false;
  /// Of a supervisor that asks again: what it was answered before.
  std::optional<protocol::any_value> earlier_answer;
  /// Among the run's: what a supervisor decided, or a dispatch carries out.
  std::optional<std::size_t> decision;
  std::size_t writes = 0; ///< to channels, of the latest attempt
  std::optional<boost::json::object> outputs;
  std::optional<protocol::run_failure> error;

  bool operator==(const run_node&) const = default;
};

/// All that is known of a run besides its conversations. Only events change it.
struct run_state {
  std::optional<protocol::run_started> started;
  std::string started_by; ///< id of run.started
  std::optional<run_status> end;
  bool is_paused = false;
  bool is_breached = false; ///< cap.breached
  protocol::timestamp_ms started_at = 0;
  protocol::timestamp_ms ended_at = 0;
  boost::json::object variables;
  std::vector<run_node> nodes; ///< by their places in the workflow
  run_channels channels;
  std::vector<run_decision> decisions;
  std::vector<run_child> children; ///< in the order of their starts
  std::int64_t dispatches = 0;     ///< that were started
  std::optional<protocol::run_failure> error;
  std::int64_t executions = 0; ///< nodes that were started
  std::size_t bytes = 0;       ///< of outputs and writes
  std::int64_t next_sequence = 0;
  std::string latest_event;
  protocol::timestamp_ms latest_time = 0;

  bool operator==(const run_state&) const = default;
};

} // namespace convene::session
