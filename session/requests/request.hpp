#pragma once

#include <convene/protocol/base/shared_value.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/documents/collab.hpp>
#include <convene/protocol/documents/reply.hpp>
#include <convene/protocol/documents/trace_context.hpp>
#include <convene/session/requests/dialog_window.hpp>
#include <convene/session/requests/recorded_action.hpp>
#include <convene/session/requests/turn_terms.hpp>
#include <convene/session/workspace/view.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convene::session {

/// A participant's position in Collab.participants.
using participant_index = std::uint32_t;

inline constexpr participant_index no_participant = 0xffffffff;

/// A step's position in its plan.
using step_index = std::uint32_t;

inline constexpr step_index no_step = 0xffffffff;

/// The kind of answer requested.
enum class request_kind : std::uint8_t {
  turn,       ///< do the task; only the holder of `token` may answer
  broadcast,  ///< answer the initiator's message
  decision,   ///< orchestrator: say what happens next, in `reply::decision`
  vote,       ///< say whose write should stand, in `reply::vote`
  escalation, ///< the same, for one who decides alone
};

/// An answer of the previous broadcast round.
struct response {
  participant_index participant = no_participant;
  std::string status; ///< completed, failed, timed_out or declined
  std::string content;

  bool operator==(const response&) const = default;
};

/// How far the last round of a broadcast fell short of its quorum.
struct missed_quorum {
  std::uint32_t answered = 0; ///< receivers that completed or declined
  std::uint32_t needed = 0;   ///< 0: the round reached its quorum

  bool operator==(const missed_quorum&) const = default;
};

/// A step that could be dispatched now.
struct ready_step {
  std::string step_id;
  std::string description;
  std::string agent_role;
  participant_index assigned = no_participant;
  std::uint32_t attempts = 0; ///< turns it has already had

  bool operator==(const ready_step&) const = default;
};

/// How a turn closed.
struct closed_view {
  participant_index participant = no_participant;
  std::string status;
  std::string step_id; ///< empty: none
  std::string content;

  bool operator==(const closed_view&) const = default;
};

/// Input to an orchestrator's decision.
struct decision_view {
  std::vector<ready_step> ready; ///< the first ones, in order; see `ready_max`
  std::uint32_t steps_total = 0;
  std::uint32_t steps_open = 0; ///< neither completed, skipped nor failed
  std::uint32_t steps_failed = 0;
  std::uint32_t outstanding = 0; ///< turns and answers still open
  /// The turn that closed last, if any.
  participant_index last_participant = no_participant;
  std::string last_status;
  std::string last_step_id;
  std::string last_content;
  /// Turns that closed before it but after the previous request for a decision,
  /// in order; the latest `also_closed_max`.
  std::vector<closed_view> also_closed;
  /// Why the previous decision was refused; empty if it was not.
  std::string refused;
  std::vector<response> responses; ///< of the last broadcast
  missed_quorum missed;            ///< by the last broadcast

  static constexpr std::size_t ready_max = 64;
  static constexpr std::size_t also_closed_max = 64;

  bool operator==(const decision_view&) const = default;
};

/// One side of a conflict: the result of a write to the resource.
struct conflict_side {
  participant_index participant = no_participant;
  bool deleted = false;
  protocol::json::value value;

  bool operator==(const conflict_side&) const = default;
};

/// Two conflicting writes, of which only one can be kept; the current one
/// first.
struct conflict_view {
  std::string conflict_id;
  std::string resource_type;
  std::string resource_id;
  std::vector<conflict_side> sides;

  bool operator==(const conflict_view&) const = default;
};

/// A request from the machine to a participant.
struct request {
  request_kind kind = request_kind::turn;
  /// Identifies the request; the answer must present it. In text form on the
  /// log.
  protocol::uuid token;
  std::uint32_t turn_number = 0; ///< fencing number, from 1; 0: not a turn
  std::uint32_t sequence = 0;    ///< this participant's n-th request, from 0
  /// The same, among decisions or others. Votes and escalations have one
  /// sequence of their own, for both.
  std::uint32_t kind_sequence = 0;
  std::uint32_t round = 0;   ///< from 1, where the mode has rounds
  std::uint32_t attempt = 0; ///< of the step, from 1
  protocol::timestamp_ms expires_at = 0;
  std::string task;
  std::string duty; ///< pair: "driver" or "navigator"
  std::string step_id;
  protocol::shared_value<turn_terms> terms; ///< of the turn
  dialog_window dialog; ///< the latest part of the session's dialog
  /// Broadcast: the previous round's, shared by all receivers.
  protocol::shared_value<std::vector<response>> responses;
  missed_quorum missed; ///< broadcast: by the previous round
  protocol::shared_value<decision_view> decide; ///< for kind decision
  protocol::shared_value<conflict_view>
    conflict;               ///< with kind vote, escalation
  workspace_view workspace; ///< as of when the request was issued
  /// The revision shown in the participant's previous request; 0: none.
  std::uint64_t workspace_since = 0;
  /// Absent unless it was asked before: before a crash, or a suspension.
  protocol::shared_value<recorded_actions> actions;

  bool operator==(const request&) const = default;
};

/// What every request of a session has in common; participants get it once.
struct session_info {
  std::string session_id;
  std::string title;
  std::string purpose;
  protocol::mode mode = protocol::mode::round_robin;
  std::vector<protocol::participant> participants;
  std::vector<std::string> role_names; ///< by position; empty: no Role document
  /// The caller's, whose trace goes on in what participants call.
  std::optional<protocol::trace_context> trace_context;

  bool operator==(const session_info&) const = default;
};

} // namespace convene::session
