#pragma once

#include <convene/protocol/codec/held_values.hpp>
#include <convene/protocol/documents/collab.hpp>
#include <convene/protocol/events/map_event_value.hpp>

#include <variant>

// What the payloads of MAP events hold: required is what the MAP profile
// demands (MPLP profiles-and-events.md 2.4), the rest is what docs/events.md
// adds. The schema leaves payloads open, so ids here may be any text, and what
// neither page names stands in `others`.

namespace convene::protocol {

struct session_started_payload {
  protocol::mode mode = protocol::mode::round_robin;
  std::optional<std::string> policy;
  std::int64_t participant_count = 0; ///< from 0
  std::optional<std::string> context_id;
  std::optional<std::string> title;
  std::optional<std::string> purpose;
  std::optional<std::string> session_key;
  std::optional<std::int64_t> rules; ///< from 1
  std::optional<std::string> rules_since;
  std::optional<std::string> spec_sha256; ///< 64 hexadecimal digits
  std::optional<json::object> spec;
  json::object others;

  bool operator==(const session_started_payload&) const = default;
};

/// One participant and its role, as MAPRolesAssigned lists them.
struct assigned_role {
  std::string participant_id;
  std::string role_id;
  std::optional<participant_kind> kind;
  std::optional<std::string> role_name;
  json::object others;

  bool operator==(const assigned_role&) const = default;
};

struct roles_assigned_payload {
  std::vector<assigned_role> assignments;
  json::object others;

  bool operator==(const roles_assigned_payload&) const = default;
};

/// What a turn may write.
struct turn_resource {
  std::string resource_type;
  std::string resource_id;
  json::object others;

  bool operator==(const turn_resource&) const = default;
};

struct turn_dispatched_payload {
  std::optional<std::string> participant_id;
  std::string role_id;
  std::int64_t turn_number = 0;
  std::optional<std::string> token_id;
  std::optional<std::string> task;
  std::optional<std::string> expires_at; ///< date-time
  std::optional<std::string> duty;
  std::optional<std::string> step_id;
  std::optional<std::int64_t> attempt;
  std::optional<std::string> handoff_id;
  std::optional<std::vector<turn_resource>> resources;
  json::object others;

  bool operator==(const turn_dispatched_payload&) const = default;
};

/// What went wrong, in a turn or an answer.
struct event_error {
  std::string code;
  std::string message;
  json::object others;

  bool operator==(const event_error&) const = default;
};

struct turn_completed_payload {
  std::optional<std::string> participant_id;
  std::string role_id;
  std::int64_t turn_number = 0;
  std::optional<std::string> token_id;
  std::string status; ///< open: reviewers end turns with words of their own
  std::optional<std::int64_t> duration_ms;
  std::optional<std::string> output_summary;
  std::optional<json::object> result;
  std::optional<json::object> reply; ///< for `decode_reply`
  std::optional<event_error> error;
  json::object others;

  bool operator==(const turn_completed_payload&) const = default;
};

struct broadcast_sent_payload {
  std::optional<std::string> broadcast_id;
  std::optional<std::string> broadcaster_participant;
  std::optional<std::string> broadcaster_role_id;
  std::optional<std::int64_t> target_count;
  std::optional<std::vector<std::string>> target_participants;
  std::optional<std::string> message_type;
  std::optional<json::object> message;
  std::optional<std::string> expires_at; ///< date-time
  json::object others;

  bool operator==(const broadcast_sent_payload&) const = default;
};

struct broadcast_received_payload {
  std::optional<std::string> broadcast_ref;
  std::optional<std::string> receiver_participant;
  std::optional<std::string> receiver_role;
  std::optional<std::string> receiver_role_id;
  std::optional<std::string> status;
  std::optional<std::int64_t> duration_ms;
  std::optional<json::object> response;
  std::optional<json::object> reply; ///< for `decode_reply`
  std::optional<event_error> error;
  json::object others;

  bool operator==(const broadcast_received_payload&) const = default;
};

struct conflict_detected_payload {
  std::string conflict_id;
  std::optional<std::string> resource_type;
  std::optional<std::string> resource_id;
  std::optional<std::vector<std::string>> conflicting_roles;
  std::optional<std::vector<std::string>> conflicting_participants;
  std::optional<std::string> conflict_type;
  std::optional<any_value> details;
  json::object others;

  bool operator==(const conflict_detected_payload&) const = default;
};

/// Whose write somebody wants to stand.
struct conflict_vote {
  std::string participant_id;
  std::string in_favour_of; ///< `for`, a participant_id
  json::object others;

  bool operator==(const conflict_vote&) const = default;
};

struct conflict_resolved_payload {
  std::string conflict_id;
  std::optional<std::string> resolution_strategy;
  std::optional<std::string> winning_role;
  std::optional<std::string> winning_participant;
  std::optional<std::vector<std::string>> losing_roles;
  std::optional<std::vector<std::string>> losing_participants;
  std::optional<std::vector<std::int64_t>> overridden_versions;
  std::optional<std::vector<conflict_vote>> votes;
  std::optional<std::string> reason;
  json::object others;

  bool operator==(const conflict_resolved_payload&) const = default;
};

/// What a whole session cost. Money is in millionths of a US dollar.
struct session_usage {
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;
  std::int64_t cost_microusd = 0;
  json::object others;

  bool operator==(const session_usage&) const = default;
};

/// Which condition ended the session.
struct session_stop_reason {
  std::string condition;
  std::optional<any_value> observed;
  std::optional<any_value> limit;
  json::object others;

  bool operator==(const session_stop_reason&) const = default;
};

struct session_completed_payload {
  std::string status;
  std::optional<std::int64_t> participants_count;
  std::int64_t turns_total = 0; ///< from 0
  std::optional<std::int64_t> broadcasts_count;
  std::optional<std::int64_t> conflicts_count;
  std::optional<std::int64_t> handoffs_count;
  std::optional<std::int64_t> duration_ms;
  std::optional<session_usage> usage;
  std::optional<session_stop_reason> stop_reason;
  json::object others;

  bool operator==(const session_completed_payload&) const = default;
};

struct handoff_initiated_payload {
  std::optional<std::string> handoff_id;
  std::string from_role;
  std::optional<std::string> from_participant;
  std::string to_role;
  std::optional<std::string> to_participant;
  std::optional<std::string> token_id;
  std::optional<std::int64_t> turn_number;
  std::optional<std::string> plan_id;
  std::optional<std::string> step_id;
  std::optional<std::string> instructions;
  std::optional<std::string> reason;
  json::object others;

  bool operator==(const handoff_initiated_payload&) const = default;
};

/// In the order of `map_event_type`.
using map_payload
  = std::variant<session_started_payload, roles_assigned_payload,
                 turn_dispatched_payload, turn_completed_payload,
                 broadcast_sent_payload, broadcast_received_payload,
                 conflict_detected_payload, conflict_resolved_payload,
                 session_completed_payload, handoff_initiated_payload>;

/// The payload that the event's type asks for; an absent one is empty.
/// errc::invalid_document with a place behind `pointer`, which is where the
/// event stands.
[[nodiscard]] result<map_payload> decode_payload(const map_event& event,
                                                 std::string_view pointer = "");

/// Gives the event the payload, and the type and family that belong to it.
void set_payload(map_event& event, const map_payload& payload);

} // namespace convene::protocol
