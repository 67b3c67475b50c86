#pragma once

#include <convene/protocol/events/core_event.hpp>
#include <convene/protocol/events/event_encoding.hpp>
#include <convene/protocol/events/map_event.hpp>
#include <convene/protocol/events/workspace_event.hpp>

// What differs between two events of the same shape: the members, by their
// place in the JSON form. The rest of an event is constant, or is the free
// form of a reply, which has been checked when it came in. `slots(v, head,
// event)` shows them, always all of them and in the same order, to a visitor
// with these calls:
//   id, time, number, text   a member that is there
//   optional                 a text; not there if it is empty
//   number_if                a number, and whether it is there
//   choice                   a part of the event that is there or not
//   open                     an object with more members than are shown
//   given                    the same, and how many of the following calls
//                            are to be left out if it is not; says which
//   count                    the size of an array
//   items                    an array of texts, and one of them
//   list<N>                  an array of objects with N members each
//   free                     any value at all, of which schemas may ask nothing
// In a place, * stands for an item. docs/validation.md says what this is for.

namespace convene::protocol::boundary {

/// Which of the event types with the same members it is; -1: none known.
[[nodiscard]] int form_of(const stage_changed& event) noexcept;

/// What a write does to the graph is constant in the events that do it.
[[nodiscard]] inline int form_of(const resource_written& event) noexcept {
  return static_cast<int>(event.change);
}

template <class Event>
[[nodiscard]] int form_of(const Event&) noexcept {
  return 0;
}

/// How many forms the events of one type have.
template <class Event>
inline constexpr std::size_t forms = 1;
template <>
inline constexpr std::size_t forms<stage_changed> = 4;
template <>
inline constexpr std::size_t forms<resource_written> = 3;

void head_slots(auto& v, const event_head& head) {
  v.id("/event_id", head.event_id);
  v.text("/session_id", head.session_id);
  v.time("/timestamp", head.timestamp);
}

/// The end of a turn and of an answer to a broadcast.
void answer_slots(auto& v, const auto& event) {
  v.choice("/payload/reply", event.reply != nullptr);
  if (v.given(!event.error_code.empty(), 2)) {
    v.text("/payload/error/code", event.error_code);
    v.text("/payload/error/message", event.error_message);
  }
}

void slots(auto& v, const event_head& head, const map_turn_dispatched& event) {
  head_slots(v, head);
  v.optional("/initiator_role", event.initiator_role);
  v.text("/target_roles/*", event.who.role_id);
  v.text("/payload/participant_id", event.who.participant_id);
  v.text("/payload/role_id", event.who.role_id);
  v.number("/payload/turn_number", event.turn_number);
  v.id("/payload/token_id", event.token_id);
  v.text("/payload/task", event.task);
  v.time("/payload/expires_at", event.expires_at);
  v.optional("/payload/duty", event.duty);
  v.optional("/payload/step_id", event.step_id);
  v.number_if(event.attempt != 0, "/payload/attempt", event.attempt);
  if (v.given(!event.handoff_id.is_nil(), 1))
    v.id("/payload/handoff_id", event.handoff_id);
  if (v.given(event.resources != nullptr, 3)) {
    static const std::vector<resource_ref> none;
    const std::span<const resource_ref> all{
      event.resources != nullptr ? *event.resources : none};
    v.template list<2>(
      "/payload/resources", all, [](auto& each, const resource_ref& r) {
        each.text("/payload/resources/*/resource_type", r.resource_type);
        each.text("/payload/resources/*/resource_id", r.resource_id);
      });
  }
}

void slots(auto& v, const event_head& head, const map_turn_completed& event) {
  head_slots(v, head);
  v.optional("/initiator_role", event.who.role_id);
  v.text("/payload/participant_id", event.who.participant_id);
  v.text("/payload/role_id", event.who.role_id);
  v.number("/payload/turn_number", event.turn_number);
  v.id("/payload/token_id", event.token_id);
  v.text("/payload/status", event.status);
  v.number("/payload/duration_ms", event.duration_ms);
  v.optional("/payload/output_summary", event.reply == nullptr
                                          ? std::string_view{}
                                          : summary_of(event.reply->content));
  v.text("/payload/result/status", event.status);
  v.open("/payload/result");
  answer_slots(v, event);
}

void slots(auto& v, const event_head& head, const map_broadcast_sent& event) {
  head_slots(v, head);
  v.optional("/initiator_role", event.broadcaster.role_id);
  v.choice("/target_roles", !event.targets.empty());
  v.items("/target_roles", "/target_roles/*", event.targets,
          &actor_name::role_id);
  v.id("/payload/broadcast_id", event.broadcast_id);
  v.text("/payload/broadcaster_participant", event.broadcaster.participant_id);
  v.text("/payload/broadcaster_role_id", event.broadcaster.role_id);
  v.number("/payload/target_count",
           static_cast<std::int64_t>(event.targets.size()));
  v.items("/payload/target_participants", "/payload/target_participants/*",
          event.targets, &actor_name::participant_id);
  v.text("/payload/message/task", event.task);
  v.number("/payload/message/round", event.round);
  v.template list<3>(
    "/payload/message/responses", event.responses,
    [](auto& each, const earlier_response& r) {
      each.text("/payload/message/responses/*/participant_id",
                r.participant_id);
      each.text("/payload/message/responses/*/status", r.status);
      each.text("/payload/message/responses/*/content", r.content);
    });
  v.time("/payload/expires_at", event.expires_at);
}

void slots(auto& v, const event_head& head,
           const map_broadcast_received& event) {
  head_slots(v, head);
  v.optional("/initiator_role", event.receiver.role_id);
  v.id("/payload/broadcast_ref", event.broadcast_ref);
  v.text("/payload/receiver_participant", event.receiver.participant_id);
  v.text("/payload/receiver_role", event.receiver.role_id);
  v.text("/payload/receiver_role_id", event.receiver.role_id);
  v.text("/payload/status", event.status);
  v.number("/payload/duration_ms", event.duration_ms);
  v.text("/payload/response/status", event.status);
  v.open("/payload/response");
  answer_slots(v, event);
}

void slots(auto& v, const event_head& head, const stage_changed& event) {
  head_slots(v, head);
  v.text("/pipeline_id", event.pipeline_id);
  v.text("/stage_id", event.stage_id);
  v.optional("/stage_name", event.stage_name);
  v.text("/stage_status", event.stage_status);
  v.number_if(event.stage_order >= 0, "/stage_order", event.stage_order);
  v.text("/payload/resource_type", to_word(event.resource));
  v.text("/payload/resource_id", event.resource_id);
  v.text("/payload/from_status", event.from_status);
  v.text("/payload/to_status", event.to_status);
  v.text("/payload/reason", event.reason);
  v.optional("/payload/target_id", event.target_id);
}

void slots(auto& v, const event_head& head, const decision_input& event) {
  head_slots(v, head);
  v.id("/execution_id", event.execution_id);
  v.optional("/executor_role", event.who.role_id);
  v.text("/payload/participant_id", event.who.participant_id);
  v.id("/payload/request_id", event.request_id);
}

void slots(auto& v, const event_head& head, const resource_written& event) {
  const auto& act = event.act;
  head_slots(v, head);
  v.text("/graph_id", event.graph_id);
  v.text("/payload/resource_type", act.resource_type);
  v.text("/payload/resource_id", act.resource_id);
  v.number("/payload/version", static_cast<std::int64_t>(event.version));
  v.number("/payload/base_version", event.base_version);
  v.text("/payload/op", to_word(event.op));
  if (v.given(event.value != nullptr, 1))
    v.free("/payload/value");
  if (v.given(!act.who.participant_id.empty(), 2)) {
    v.text("/payload/participant_id", act.who.participant_id);
    v.text("/payload/role_id", act.who.role_id);
  }
  v.number_if(act.turn_number != 0, "/payload/turn_number", act.turn_number);
  if (v.given(!act.token_id.is_nil(), 1))
    v.id("/payload/token_id", act.token_id);
  if (v.given(!event.conflict_id.is_nil(), 1))
    v.id("/payload/conflict_id", event.conflict_id);
  v.choice("/payload/input", event.input);
}

} // namespace convene::protocol::boundary
