#pragma once

#include <convene/actors/behaviours/live_turn.hpp>
#include <convene/protocol/base/api.hpp>
#include <convene/protocol/documents/action.hpp>
#include <convene/session/requests/request.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace convene::actors {

/// One entry of the session's dialog.
struct dialog_entry {
  std::string participant; ///< id; empty: the session itself
  std::string content;
  protocol::timestamp_ms at = 0;

  bool operator==(const dialog_entry&) const = default;
};

/// Another participant's answer in the previous round of a broadcast.
struct answer_of_other {
  std::string participant; ///< id
  std::string status;      ///< completed, failed, timed_out or declined
  std::string content;

  bool operator==(const answer_of_other&) const = default;
};

/// A participant that an orchestrator can address.
struct candidate {
  std::string participant; ///< id
  std::string role;        ///< role_id; empty: none
  protocol::participant_kind kind = protocol::participant_kind::agent;

  bool operator==(const candidate&) const = default;
};

/// A plan step whose dependencies are complete.
struct open_step {
  std::string step_id;
  std::string description;
  std::string agent_role;
  std::string assigned;       ///< participant id; empty: none
  std::uint32_t attempts = 0; ///< turns it has already had

  bool operator==(const open_step&) const = default;
};

/// A closed turn.
struct closed_turn {
  std::string participant; ///< id
  std::string status;
  std::string step_id; ///< empty: none
  std::string content;

  bool operator==(const closed_turn&) const = default;
};

/// Who handed the turn on, and with what instructions.
struct received_handoff {
  std::string handoff_id; ///< empty: not a handoff
  std::string from;       ///< participant id
  std::string instructions;
  std::string reason;

  bool operator==(const received_handoff&) const = default;
};

/// Input to an orchestrator's decision.
struct decision_request {
  std::vector<candidate> participants; ///< everybody but itself, roster order
  std::vector<open_step> ready;        ///< the first ones, in order
  std::uint32_t steps_total = 0;       ///< 0: the session has no plan
  std::uint32_t steps_open = 0;
  std::uint32_t steps_failed = 0;
  std::uint32_t outstanding = 0; ///< turns and answers still open
  std::string last_participant;  ///< of the turn that closed last, if any
  std::string last_status;
  std::string last_step_id;
  std::string last_content;
  /// Turns that closed before it but after the previous decision request.
  std::vector<closed_turn> also_closed;
  std::string refused; ///< why the previous decision was refused, else empty
  std::vector<answer_of_other> responses; ///< to the last broadcast
  session::missed_quorum missed;          ///< by the last broadcast

  bool operator==(const decision_request&) const = default;
};

/// A participant's write to a disputed resource.
struct disputed_write {
  std::string participant; ///< id
  bool deleted = false;
  protocol::json::value value;

  bool operator==(const disputed_write&) const = default;
};

/// Two conflicting writes, of which only one can be kept; `sides` starts with
/// the current one. Answered by `reply::vote`.
struct dispute {
  std::string conflict_id; ///< empty: no dispute
  std::string resource_type;
  std::string resource_id;
  std::vector<disputed_write> sides;

  bool operator==(const dispute&) const = default;
};

/// A call that a person is asked to approve before it is carried out.
struct approval_request {
  std::string participant; ///< id of whose call it is; empty: none is
  protocol::action_kind kind = protocol::action_kind::mcp;
  std::string name; ///< of the tool, program or host
  protocol::json::value arguments;
  std::string sha256; ///< of all of it: the approval is for this alone

  bool operator==(const approval_request&) const = default;
};

/// Input to a behaviour: one request, and what all requests of the session
/// share. Identifies participants by id.
struct turn_request {
  session::request_kind kind = session::request_kind::turn;
  std::string session_id;
  std::string title;
  std::string purpose;
  protocol::mode mode = protocol::mode::round_robin;

  std::string participant; ///< who is asked
  std::string role;        ///< its role_id; empty: none
  std::string role_name;   ///< empty: the session has no Role document for it

  std::string task;    ///< what to do
  std::string duty;    ///< pair: "driver" or "navigator"
  std::string step_id; ///< of the plan; empty: none

  std::uint32_t turn = 0;     ///< turn number, from 1; 0: not a turn
  std::uint32_t round = 0;    ///< from 1, where the mode has rounds
  std::uint32_t attempt = 0;  ///< attempt at the step, from 1
  std::uint32_t sequence = 0; ///< the participant's n-th request, from 0
  /// Index among its decision requests, or among all its other requests, from
  /// 0.
  std::uint32_t kind_sequence = 0;
  std::string token; ///< identifies the request, as on the log
  protocol::timestamp_ms deadline = 0;

  received_handoff handoff;
  bool limited = false; ///< only `resources` may be written
  std::vector<protocol::resource_ref> resources;

  /// Broadcast: how far the previous round missed its quorum, if it did.
  session::missed_quorum missed;

  decision_request decide; ///< for kind decision, else empty
  actors::dispute dispute; ///< for kinds vote and escalation, else empty
  /// For a person who is asked for this alone, as approver; else empty.
  approval_request approval;

  /// The shared resources as of when the request was made.
  session::workspace_view workspace;
  /// The revision shown in this participant's previous request; 0: none.
  std::uint64_t workspace_since = 0;

  /// The resources changed since then, including deleted ones.
  [[nodiscard]] std::vector<session::resource_version> news() const {
    return workspace.changes(workspace_since);
  }

  /// The latest entries of the session's dialog. Built on each call.
  [[nodiscard]] CONVENE_API std::vector<dialog_entry> dialog() const;

  /// Broadcast: all answers of the previous round. Built on each call.
  [[nodiscard]] CONVENE_API std::vector<answer_of_other> responses() const;

  /// The data behind `dialog` and `responses`, as sent.
  session::dialog_window window;
  protocol::shared_value<std::vector<session::response>> earlier;
  std::shared_ptr<const session::session_info> about;

  /// What a behaviour that blocks or answers later can do before it answers;
  /// null for other behaviours.
  std::shared_ptr<live_turn> live;

  bool operator==(const turn_request&) const = default;
};

/// Fills `into` from `asked`, a request to participant `self` of the session,
/// replacing its content. Reuses what it has: keep one object, as an earlier
/// call left it, to answer many requests. A position outside the roster becomes
/// an empty id.
CONVENE_API void
assemble(turn_request& into,
         const std::shared_ptr<const session::session_info>& about,
         session::participant_index self, const session::request& asked);

} // namespace convene::actors
