#pragma once

#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/documents/reply.hpp>
#include <convene/session/requests/request.hpp>

#include <string>
#include <variant>

namespace convene::session {

/// The session begins.
struct start {
  bool operator==(const start&) const = default;
};

/// A participant answers a request. The token identifies the request.
struct answer {
  participant_index from = no_participant;
  protocol::uuid token;
  protocol::reply reply;

  bool operator==(const answer&) const = default;
};

/// A participant writes while its request is open, without answering it.
struct write_attempt {
  participant_index from = no_participant;
  protocol::uuid token; ///< of the request
  protocol::resource_write what;

  bool operator==(const write_attempt&) const = default;
};

/// A participant claims a resource while its request is open.
struct claim_attempt {
  participant_index from = no_participant;
  protocol::uuid token; ///< of the request
  protocol::claim what;

  bool operator==(const claim_attempt&) const = default;
};

/// A participant begins an attempt at an action while its request is open.
struct action_begins {
  participant_index from = no_participant;
  protocol::uuid token; ///< of the request
  protocol::action what;
  std::uint32_t attempt = 1; ///< at this position, from 1

  bool operator==(const action_begins&) const = default;
};

/// What came of an attempt at an action.
struct action_ends {
  participant_index from = no_participant;
  protocol::uuid token; ///< of the request
  std::string position;
  std::uint32_t attempt = 1;
  protocol::action_result result;

  bool operator==(const action_ends&) const = default;
};

/// A participant is lost: its actor ended or its node was lost.
struct participant_down {
  participant_index who = no_participant;
  std::string reason;

  bool operator==(const participant_down&) const = default;
};

/// A lost participant has returned.
struct participant_up {
  participant_index who = no_participant;

  bool operator==(const participant_up&) const = default;
};

/// Time has passed.
struct tick {
  bool operator==(const tick&) const = default;
};

struct suspend {
  std::string reason;

  bool operator==(const suspend&) const = default;
};

struct resume {
  bool operator==(const resume&) const = default;
};

struct cancel {
  std::string reason;

  bool operator==(const cancel&) const = default;
};

/// A request from outside to stop: the session completes, immediately or as its
/// conditions decide; a suspended one once it is resumed.
struct stop {
  std::string reason;

  bool operator==(const stop&) const = default;
};

/// The verdict of an application function on a `custom` condition.
struct verdict {
  std::string condition; ///< its name in the scenario's `end`
  bool holds = false;
  std::string observed; ///< in words, for the stop_reason
  std::string error;    ///< if not empty: why the function failed

  bool operator==(const verdict&) const = default;
};

/// The session's last step could not be logged: it is undone, and the session
/// ends. Only read from the log; a machine with a gate detects this itself.
struct fault {
  std::string reason;

  bool operator==(const fault&) const = default;
};

/// The session is a fork, and its own part begins: what the recorded session
/// had begun outside and not ended is not begun again. Counts only where there
/// is such an action.
struct forked {
  bool operator==(const forked&) const = default;
};

/// Somebody says something that is no answer: a participant of kind human or
/// external, or, without one, whoever uses the session. Requests after it show
/// it in their dialog.
struct message {
  participant_index from = no_participant;
  std::string content;

  bool operator==(const message&) const = default;
};

/// Input to the session machine, one at a time. An orchestrator's decision is
/// the answer to a request of kind decision.
struct input {
  protocol::timestamp_ms now = 0; ///< whole ms UTC, never decreasing
  std::variant<start, answer, write_attempt, claim_attempt, action_begins,
               action_ends, participant_down, participant_up, tick, suspend,
               resume, cancel, stop, verdict, fault, forked, message>
    what;

  bool operator==(const input&) const = default;
};

} // namespace convene::session
