#pragma once

#include <convene/actors/behaviours/live_turn.hpp>
#include <convene/protocol/base/api.hpp>
#include <convene/session/requests/request.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace convene::actors {

/// One entry of the session's talk.
struct dialog_entry {
  std::string participant; ///< id; empty: the session's own words
  std::string content;
  protocol::timestamp_ms at = 0;

  bool operator==(const dialog_entry&) const = default;
};

/// What somebody else answered in the previous round of a broadcast.
struct answer_of_other {
  std::string participant; ///< id
  std::string status;      ///< completed, failed, timed_out or declined
  std::string content;

  bool operator==(const answer_of_other&) const = default;
};

/// Somebody an orchestrator can turn to.
struct candidate {
  std::string participant; ///< id
  std::string role;        ///< role_id; empty: none
  protocol::participant_kind kind = protocol::participant_kind::agent;

  bool operator==(const candidate&) const = default;
};

/// A step of the plan whose dependencies are done.
struct open_step {
  std::string step_id;
  std::string description;
  std::string agent_role;
  std::string assigned;       ///< participant id; empty: to nobody
  std::uint32_t attempts = 0; ///< turns it already had

  bool operator==(const open_step&) const = default;
};

/// How a turn closed.
struct closed_turn {
  std::string participant; ///< id
  std::string status;
  std::string step_id; ///< empty: none
  std::string content;

  bool operator==(const closed_turn&) const = default;
};

/// Whose turn it was before, and what they say to it.
struct received_handoff {
  std::string handoff_id; ///< empty: nobody handed the turn on
  std::string from;       ///< participant id
  std::string instructions;
  std::string reason;

  bool operator==(const received_handoff&) const = default;
};

/// What an orchestrator decides on.
struct decision_request {
  std::vector<candidate> participants; ///< everybody but itself, roster order
  std::vector<open_step> ready;        ///< the first ones, in order
  std::uint32_t steps_total = 0;       ///< 0: the session has no plan
  std::uint32_t steps_open = 0;
  std::uint32_t steps_failed = 0;
  std::uint32_t outstanding = 0; ///< turns and answers still awaited
  std::string last_participant;  ///< of the turn that closed last, if any
  std::string last_status;
  std::string last_step_id;
  std::string last_content;
  /// Those that closed before it and after the previous decision request.
  std::vector<closed_turn> also_closed;
  std::string refused; ///< why the previous decision was; empty: it was not
  std::vector<answer_of_other> responses; ///< to the last broadcast

  bool operator==(const decision_request&) const = default;
};

/// What somebody's write makes of a resource.
struct disputed_write {
  std::string participant; ///< id
  bool deleted = false;
  protocol::json::value value;

  bool operator==(const disputed_write&) const = default;
};

/// Two writes of which one can stand; `sides` has the one that stands now
/// first. Answered by `reply::vote`.
struct dispute {
  std::string conflict_id; ///< empty: there is none
  std::string resource_type;
  std::string resource_id;
  std::vector<disputed_write> sides;

  bool operator==(const dispute&) const = default;
};

/// What a behaviour is asked: one request, and what it has in common with all
/// others of the session. Names people by their participant ids.
struct turn_request {
  session::request_kind kind = session::request_kind::turn;
  std::string session_id;
  std::string title;
  std::string purpose;
  protocol::mode mode = protocol::mode::round_robin;

  std::string participant; ///< who is asked
  std::string role;        ///< its role_id; empty: none
  std::string role_name;   ///< empty: the session has no document of the role

  std::string task;    ///< what to do
  std::string duty;    ///< pair: "driver" or "navigator"
  std::string step_id; ///< of the plan; empty: none

  std::uint32_t turn = 0;     ///< the turn's number, from 1; 0: no turn
  std::uint32_t round = 0;    ///< from 1, where the mode has rounds
  std::uint32_t attempt = 0;  ///< at the step, from 1
  std::uint32_t sequence = 0; ///< the participant's n-th request, from 0
  /// Among its decision requests, or else among all its others, from 0.
  std::uint32_t kind_sequence = 0;
  std::string token; ///< names the request, as in the log
  protocol::timestamp_ms deadline = 0;

  received_handoff handoff;
  bool limited = false; ///< only `resources` may be written
  std::vector<protocol::resource_ref> resources;

  decision_request decide; ///< with kind decision, else empty
  actors::dispute dispute; ///< with kind vote and escalation, else empty

  /// The shared resources as they stood when the request was made.
  session::workspace_view workspace;
  /// The revision that this participant's request before showed; 0: none did.
  std::uint64_t workspace_since = 0;

  /// The resources that have changed since then, deleted ones too.
  [[nodiscard]] std::vector<session::resource_version> news() const {
    return workspace.changes(workspace_since);
  }

  /// The latest of the session's talk. Made when asked for.
  [[nodiscard]] CONVENE_API std::vector<dialog_entry> dialog() const;

  /// Broadcast: what everybody answered in the previous round. Made when asked
  /// for.
  [[nodiscard]] CONVENE_API std::vector<answer_of_other> responses() const;

  /// Where `dialog` and `responses` come from, as it was sent.
  session::dialog_window window;
  protocol::shared_value<std::vector<session::response>> earlier;
  std::shared_ptr<const session::session_info> about;

  /// What a blocking behaviour can do before it answers; null for others.
  std::shared_ptr<live_turn> live;

  bool operator==(const turn_request&) const = default;
};

/// Puts `asked`, a request to participant `self` of the session, into `into`
/// and drops what was there. Reuses its memory: whoever answers many requests
/// keeps one object. A position that is not in the roster becomes an empty id.
CONVENE_API void
assemble(turn_request& into,
         const std::shared_ptr<const session::session_info>& about,
         session::participant_index self, const session::request& asked);

} // namespace convene::actors
