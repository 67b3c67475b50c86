#pragma once

#include <convene/protocol/workflow/run_payloads.hpp>
#include <convene/session/conversation/input.hpp>

namespace convene::session {

struct start_run {
  boost::json::object inputs;
  boost::json::object configurable;
  std::vector<std::string> tags;
  boost::json::object metadata;
  std::optional<std::string> transport;
  /// What the host knows of whom it tells of the end; a fork tells nobody.
  std::optional<std::string> callback_digest;
  /// Whether people are asked in conversations, if the workflow does not say;
  /// absent: as the host can.
  std::optional<bool> conversation_primitive;
  std::optional<protocol::run_parent> parent; ///< of a child run
  std::optional<protocol::run_fork> forked_from;
};

/// An answer to what a node asks.
struct resolve_interrupt {
  std::string node_id;
  boost::json::value resume_value;
  /// Who gave it, as the host knows; absent: nobody in particular.
  std::optional<std::string> resolved_by;
  /// Which interrupt of the node is meant; absent: its latest.
  std::optional<std::string> interrupt_id;
};

/// Nothing but that time has passed.
struct check_timers {};

struct cancel_run {
  std::string reason; ///< for people; may be empty
  std::optional<std::string> cancelled_by;
};

/// No further node is started; those that run go on to their end.
struct pause_run {
  std::string reason;
  std::string policy = "drain-current-node"; ///< recorded; either does the same
};

struct resume_run {
  std::string reason;
};

enum class session_outcome : std::uint8_t { completed, failed, cancelled };

/// A session that a node started has ended.
struct session_ended {
  std::string node_id;
  std::string session_id;
  session_outcome outcome = session_outcome::completed;
  boost::json::object result;
  std::string message; ///< why it failed
};

/// The child run that a node waits for has ended, or could not be started.
struct child_ended {
  std::string node_id;
  std::string child_run_id;
  session_outcome outcome = session_outcome::completed;
  boost::json::object variables; ///< of one that completed
  /// What a node fails with; `child_failed`, `child_cancelled`, or why it could
  /// not be started.
  std::string code;
  std::string message;
  /// It completed, but what it gave does not fit: the node fails in any case.
  bool is_unfit = false;
};

using run_input
  = std::variant<start_run, resolve_interrupt, check_timers, cancel_run,
                 pause_run, resume_run, session_ended, child_ended>;

/// To be done outside: a session to be started, or gone on with.
struct start_session {
  std::string node_id;
  std::string session_id;
  boost::json::object scenario;

  bool operator==(const start_session&) const = default;
};

/// To be done outside: nobody waits for the session any more.
struct cancel_session {
  std::string node_id;
  std::string session_id;

  bool operator==(const cancel_session&) const = default;
};

/// To be done outside: a run of another workflow to be started, or found.
struct start_child {
  std::string node_id;
  std::string child_run_id;
  std::string workflow_id;
  boost::json::object inputs;
  bool is_detached = false; ///< it goes on if its parent is stopped

  bool operator==(const start_child&) const = default;
};

/// To be done outside: nobody waits for the child run any more.
struct cancel_child {
  std::string child_run_id;
  std::string reason;

  bool operator==(const cancel_child&) const = default;
};

using run_action
  = std::variant<start_session, cancel_session, start_child, cancel_child>;

/// Why an input was not taken. Pointers lead into the resume value, or into
/// what a run is started with.
struct run_refusal {
  protocol::run_refusal_code code{};
  protocol::error what;

  bool operator==(const run_refusal&) const = default;
};

/// What follows from an input. There may be events with a refusal: what was due
/// by then happened first.
struct run_effects {
  std::vector<protocol::run_event> events; ///< to be appended whole, or not
  std::vector<run_action> actions;         ///< once the events are appended
  std::optional<run_refusal> refusal;
  std::optional<conversation_answer> conversation; ///< of a turn
  bool is_duplicate = false; ///< the input had been taken before
};

} // namespace convene::session
