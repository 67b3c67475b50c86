#pragma once

#include <convene/protocol/events/event_encoding.hpp>
#include <convene/protocol/events/map_event.hpp>
#include <convene/protocol/events/member_kind.hpp>
#include <convene/protocol/events/member_name.hpp>
#include <convene/protocol/events/rules.hpp>

#include <array>

// The members of the ten MAP events, each once: `describe` shows them in their
// order to a visitor. event_encoder.hpp writes them, protocol/boundary judges
// them before they are on a log, and protocol/checks lists what a log of
// another program must have. The visitor's calls:
//   type                     the event's type where it is no constant
//   id, time, number, text   a member that is there, and what it must be
//   optional, optional_id, optional_time   not there if empty, nil or 0
//   number_if, numbers       a number if the first argument says so; several,
//                            not there if there are none
//   key                      a UUID as 32 hexadecimal digits
//   constant, constant_if    a text that never changes
//   fixed, flag              a constant that is no text; true or not there
//   optional_flag            true or false, not there if unset
//   single, items, items_if_any   an array of one text, of several texts, and
//                            the same, not there if there are none
//   object, object_if<N>     more members in an object
//   list<N, Optional>, list_if<N>   an array of objects
//   json_text, value, reply, result   what has a form of its own
// N is how many slots there are in what may be missing or repeated: values that
// differ from event to event (docs/validation.md). Optional is how many members
// an item may lack.

namespace convene::protocol {

/// Values from which all types and members of an event can be told, whatever is
/// in them: one for each event type that the struct stands for.
template <class Event>
std::array<Event, 1> samples_of(const Event*) {
  return {};
}

void map_head(auto& v, const event_head& head, auto type, auto family) {
  using enum member_kind;
  v.id("event_id"_m, head.event_id, text);
  v.constant("event_type"_m, type, name);
  v.constant("event_family"_m, family, name);
  v.text("session_id"_m, head.session_id, id);
  v.time("timestamp"_m, head.timestamp);
}

/// How a turn, or an answer to a broadcast, ended.
void ending_members(auto& v, const auto& event) {
  v.reply("reply"_m, event.reply);
  v.template object_if<2>(!event.error_code.empty(), "error"_m,
                          [&](auto& error) {
                            error.text("code"_m, event.error_code);
                            error.text("message"_m, event.error_message);
                          });
}

void resource_members(auto& v, const resource_ref& r) {
  v.text("resource_type"_m, r.resource_type);
  v.text("resource_id"_m, r.resource_id);
}

void describe(auto& v, const event_head& head, const map_session_started& e) {
  using enum member_kind;
  map_head(v, head, "MAPSessionStarted"_m, "GraphUpdateEvent"_m);
  v.optional("initiator_role"_m, e.initiator_role);
  v.object("payload"_m, [&](auto& p) {
    p.text("mode"_m, to_word(e.mode), mode);
    p.text("policy"_m, e.policy);
    p.number("participant_count"_m,
             static_cast<std::int64_t>(e.participant_count));
    p.text("context_id"_m, e.context_id, id);
    p.text("title"_m, e.title);
    p.text("purpose"_m, e.purpose);
    p.key("session_key"_m, e.session_key);
    // Logs by rules 1 have neither.
    p.number_if(true, "rules"_m, rules);
    p.optional("rules_since"_m, rules_since);
    p.optional("spec_sha256"_m, e.spec_sha256);
    p.json_text("spec"_m, e.spec, object);
  });
}

void describe(auto& v, const event_head& head, const map_roles_assigned& e) {
  using enum member_kind;
  map_head(v, head, "MAPRolesAssigned"_m, "GraphUpdateEvent"_m);
  v.object("payload"_m, [&](auto& p) {
    p.template list<4>(
      "assignments"_m, e.assignments, [](auto& each, const role_assignment& a) {
        each.text("participant_id"_m, a.who.participant_id, name);
        each.text("role_id"_m, a.who.role_id);
        each.text("kind"_m, to_word(a.kind), name);
        each.optional("role_name"_m, a.role_name);
      });
  });
}

void describe(auto& v, const event_head& head, const map_turn_dispatched& e) {
  using enum member_kind;
  map_head(v, head, "MAPTurnDispatched"_m, "RuntimeExecutionEvent"_m);
  v.optional("initiator_role"_m, e.initiator_role);
  v.single("target_roles"_m, e.who.role_id);
  v.object("payload"_m, [&](auto& p) {
    p.text("participant_id"_m, e.who.participant_id, name);
    p.text("role_id"_m, e.who.role_id);
    p.number("turn_number"_m, e.turn_number);
    p.id("token_id"_m, e.token_id);
    p.text("task"_m, e.task);
    p.time("expires_at"_m, e.expires_at);
    p.optional("duty"_m, e.duty);
    p.optional("step_id"_m, e.step_id, id);
    p.number_if(e.attempt != 0, "attempt"_m, e.attempt);
    p.optional_id("handoff_id"_m, e.handoff_id);
    p.template list_if<2>(
      e.resources != nullptr, "resources"_m,
      e.resources != nullptr ? std::span<const resource_ref>{*e.resources}
                             : std::span<const resource_ref>{},
      [](auto& each, const resource_ref& r) { resource_members(each, r); });
  });
}

void describe(auto& v, const event_head& head, const map_turn_completed& e) {
  using enum member_kind;
  map_head(v, head, "MAPTurnCompleted"_m, "RuntimeExecutionEvent"_m);
  v.optional("initiator_role"_m, e.who.role_id);
  v.object("payload"_m, [&](auto& p) {
    p.text("participant_id"_m, e.who.participant_id, name);
    p.text("role_id"_m, e.who.role_id);
    p.number("turn_number"_m, e.turn_number);
    p.id("token_id"_m, e.token_id);
    p.text("status"_m, e.status);
    p.number("duration_ms"_m, e.duration_ms);
    p.optional("output_summary"_m, e.reply == nullptr
                                     ? std::string_view{}
                                     : summary_of(e.reply->content));
    p.result("result"_m, e.status, e.reply);
    ending_members(p, e);
  });
}

void describe(auto& v, const event_head& head, const map_broadcast_sent& e) {
  using enum member_kind;
  map_head(v, head, "MAPBroadcastSent"_m, "CommunicationEvent"_m);
  v.optional("initiator_role"_m, e.broadcaster.role_id);
  v.items_if_any("target_roles"_m, e.targets, &actor_name::role_id);
  v.object("payload"_m, [&](auto& p) {
    p.id("broadcast_id"_m, e.broadcast_id);
    p.text("broadcaster_participant"_m, e.broadcaster.participant_id, name);
    p.text("broadcaster_role_id"_m, e.broadcaster.role_id);
    p.number("target_count"_m, static_cast<std::int64_t>(e.targets.size()));
    p.items("target_participants"_m, e.targets, &actor_name::participant_id);
    p.constant("message_type"_m, "task"_m, text);
    p.object("message"_m, [&](auto& message) {
      message.text("task"_m, e.task);
      message.number_if(true, "deadline_ms"_m, e.deadline_ms);
      message.number("round"_m, e.round);
      message.template list<3>(
        "responses"_m, e.responses, [](auto& each, const earlier_response& r) {
          each.text("participant_id"_m, r.participant_id);
          each.text("status"_m, r.status);
          each.text("content"_m, r.content);
        });
      message.template object_if<2>(
        e.needed_before != 0, "missed_quorum"_m, [&](auto& missed) {
          missed.number("answered"_m, e.answered_before);
          missed.number("needed"_m, e.needed_before);
        });
    });
    p.time("expires_at"_m, e.expires_at);
  });
}

void describe(auto& v, const event_head& head,
              const map_broadcast_received& e) {
  using enum member_kind;
  map_head(v, head, "MAPBroadcastReceived"_m, "CommunicationEvent"_m);
  v.optional("initiator_role"_m, e.receiver.role_id);
  v.object("payload"_m, [&](auto& p) {
    p.id("broadcast_ref"_m, e.broadcast_ref);
    p.text("receiver_participant"_m, e.receiver.participant_id, name);
    p.text("receiver_role"_m, e.receiver.role_id);
    p.text("receiver_role_id"_m, e.receiver.role_id);
    p.text("status"_m, e.status);
    p.number("duration_ms"_m, e.duration_ms);
    p.result("response"_m, e.status, e.reply);
    ending_members(p, e);
  });
}

void describe(auto& v, const event_head& head, const map_conflict_detected& e) {
  using enum member_kind;
  map_head(v, head, "MAPConflictDetected"_m, "ConflictEvent"_m);
  v.object("payload"_m, [&](auto& p) {
    p.id("conflict_id"_m, e.conflict_id);
    p.text("resource_type"_m, e.resource_type);
    p.text("resource_id"_m, e.resource_id);
    p.items("conflicting_roles"_m, e.conflicting, &actor_name::role_id);
    p.items("conflicting_participants"_m, e.conflicting,
            &actor_name::participant_id);
    p.text("conflict_type"_m, e.conflict_type, name);
    p.json_text("details"_m, e.details, any);
  });
}

void describe(auto& v, const event_head& head, const map_conflict_resolved& e) {
  using enum member_kind;
  map_head(v, head, "MAPConflictResolved"_m, "ConflictEvent"_m);
  v.object("payload"_m, [&](auto& p) {
    p.id("conflict_id"_m, e.conflict_id);
    p.text("resolution_strategy"_m, e.resolution_strategy, name);
    p.optional("winning_role"_m, e.winner.role_id);
    p.optional("winning_participant"_m, e.winner.participant_id, name);
    p.items_if_any("losing_roles"_m, e.losers, &actor_name::role_id);
    p.items_if_any("losing_participants"_m, e.losers,
                   &actor_name::participant_id);
    p.numbers("overridden_versions"_m, e.overridden_versions);
    p.template list_if<2>(!e.votes.empty(), "votes"_m, e.votes,
                          [](auto& each, const vote_cast& vote) {
                            each.text("participant_id"_m, vote.participant_id);
                            each.text("for"_m, vote.in_favour_of);
                          });
    p.text("reason"_m, e.reason);
  });
}

void describe(auto& v, const event_head& head, const map_handoff_initiated& e) {
  using enum member_kind;
  map_head(v, head, "MAPHandoffInitiated"_m, "CommunicationEvent"_m);
  v.optional("initiator_role"_m, e.from.role_id);
  v.single("target_roles"_m, e.to.role_id);
  v.object("payload"_m, [&](auto& p) {
    p.id("handoff_id"_m, e.handoff_id);
    p.text("from_role"_m, e.from.role_id);
    p.text("from_participant"_m, e.from.participant_id, name);
    p.text("to_role"_m, e.to.role_id);
    p.text("to_participant"_m, e.to.participant_id, name);
    p.id("token_id"_m, e.token_id);
    p.number_if(e.turn_number != 0, "turn_number"_m, e.turn_number);
    p.optional("plan_id"_m, e.plan_id, id);
    p.optional("step_id"_m, e.step_id, id);
    p.optional("instructions"_m, e.instructions);
    p.optional("reason"_m, e.reason);
  });
}

void describe(auto& v, const event_head& head, const map_session_completed& e) {
  using enum member_kind;
  map_head(v, head, "MAPSessionCompleted"_m, "GraphUpdateEvent"_m);
  v.object("payload"_m, [&](auto& p) {
    p.text("status"_m, to_word(e.status), ending);
    p.number("participants_count"_m,
             static_cast<std::int64_t>(e.participants_count));
    p.number("turns_total"_m, e.turns_total);
    p.number("broadcasts_count"_m, e.broadcasts_count);
    p.number("conflicts_count"_m, e.conflicts_count);
    p.number("handoffs_count"_m, e.handoffs_count);
    p.number("duration_ms"_m, e.duration_ms);
    p.object("usage"_m, [&](auto& usage) {
      usage.number("prompt_tokens"_m, e.usage.prompt_tokens);
      usage.number("completion_tokens"_m, e.usage.completion_tokens);
      usage.number("cost_microusd"_m, e.usage.cost_microusd);
    });
    p.object("stop_reason"_m, [&](auto& reason) {
      reason.text("condition"_m, e.stop_reason.condition);
      reason.text("observed"_m, e.stop_reason.observed);
      reason.number_if(e.stop_reason.limit >= 0, "limit"_m,
                       e.stop_reason.limit);
    });
  });
}

} // namespace convene::protocol
