#include <convene/protocol/events/event_encoding.hpp>
#include <convene/protocol/events/map_event.hpp>

namespace convene::protocol {
namespace {

// The part of an envelope that never changes, once for each event type.
#define CONVENE_TYPE(type, family)                                             \
  R"(,"event_type":")" type R"(","event_family":")" family R"(")"

void write_roles(json_writer& out, std::span<const actor_name> all) {
  out.raw("[");
  for (std::size_t i = 0; i < all.size(); ++i)
    out.raw(i == 0 ? "" : ",").string(all[i].role_id);
  out.raw("]");
}

void write_participants(json_writer& out, std::span<const actor_name> all) {
  out.raw("[");
  for (std::size_t i = 0; i < all.size(); ++i)
    out.raw(i == 0 ? "" : ",").string(all[i].participant_id);
  out.raw("]");
}

/// The members with which a turn and a broadcast answer both end.
template <class Event>
void write_answer(json_writer& out, const Event& event) {
  static const json::object nothing;
  write_result(out, event.status,
               event.reply != nullptr ? event.reply->result : nothing);
  if (event.reply != nullptr)
    write_reply(out.raw(R"(,"reply":)"), *event.reply);
  if (!event.error_code.empty()) {
    out.raw(R"(,"error":{"code":)").string(event.error_code);
    out.raw(R"(,"message":)").string(event.error_message).raw("}");
  }
  out.raw("}}\n");
}

} // namespace

void encode(byte_buffer& buffer, const event_head& head,
            const map_session_started& event) {
  json_writer out{buffer};
  open_map_event(out, head,
                 CONVENE_TYPE("MAPSessionStarted", "GraphUpdateEvent"),
                 event.initiator_role);
  const auto key = to_chars(event.session_key);
  out.raw(R"({"mode":)").string(to_word(event.mode));
  out.raw(R"(,"policy":)").string(event.policy);
  out.raw(R"(,"participant_count":)");
  out.number(static_cast<std::int64_t>(event.participant_count));
  out.raw(R"(,"context_id":)").string(event.context_id);
  out.raw(R"(,"title":)").string(event.title);
  out.raw(R"(,"purpose":)").string(event.purpose);
  out.raw(R"(,"session_key":")");
  for (char c : key)
    if (c != '-')
      out.raw(std::string_view{&c, 1});
  out.raw(R"(","spec":)").raw(event.spec).raw("}}\n");
}

void encode(byte_buffer& buffer, const event_head& head,
            const map_roles_assigned& event) {
  json_writer out{buffer};
  open_map_event(out, head,
                 CONVENE_TYPE("MAPRolesAssigned", "GraphUpdateEvent"));
  out.raw(R"({"assignments":[)");
  bool first = true;
  for (const auto& a : event.assignments) {
    out.raw(first ? "" : ",");
    first = false;
    out.raw(R"({"participant_id":)").string(a.who.participant_id);
    out.raw(R"(,"role_id":)").string(a.who.role_id);
    out.raw(R"(,"kind":)").string(to_word(a.kind));
    optional_member(out, R"(,"role_name":)", a.role_name);
    out.raw("}");
  }
  out.raw("]}}\n");
}

void encode(byte_buffer& buffer, const event_head& head,
            const map_turn_dispatched& event) {
  json_writer out{buffer};
  open_map_event(out, head,
                 CONVENE_TYPE("MAPTurnDispatched", "RuntimeExecutionEvent"),
                 event.initiator_role, {&event.who, 1});
  out.raw(R"({"participant_id":)").string(event.who.participant_id);
  out.raw(R"(,"role_id":)").string(event.who.role_id);
  out.raw(R"(,"turn_number":)").number(event.turn_number);
  out.raw(R"(,"token_id":)").id(event.token_id);
  out.raw(R"(,"task":)").string(event.task);
  out.raw(R"(,"expires_at":)").time(event.expires_at);
  optional_member(out, R"(,"duty":)", event.duty);
  optional_member(out, R"(,"step_id":)", event.step_id);
  if (event.attempt != 0)
    out.raw(R"(,"attempt":)").number(event.attempt);
  if (!event.handoff_id.is_nil())
    out.raw(R"(,"handoff_id":)").id(event.handoff_id);
  if (event.resources != nullptr)
    write_resources(out.raw(R"(,"resources":)"), *event.resources);
  out.raw("}}\n");
}

void encode(byte_buffer& buffer, const event_head& head,
            const map_turn_completed& event) {
  json_writer out{buffer};
  open_map_event(out, head,
                 CONVENE_TYPE("MAPTurnCompleted", "RuntimeExecutionEvent"),
                 event.who.role_id);
  out.raw(R"({"participant_id":)").string(event.who.participant_id);
  out.raw(R"(,"role_id":)").string(event.who.role_id);
  out.raw(R"(,"turn_number":)").number(event.turn_number);
  out.raw(R"(,"token_id":)").id(event.token_id);
  out.raw(R"(,"status":)").string(event.status);
  out.raw(R"(,"duration_ms":)").number(event.duration_ms);
  if (event.reply != nullptr)
    optional_member(out, R"(,"output_summary":)",
                    summary_of(event.reply->content));
  write_answer(out.raw(R"(,"result":)"), event);
}

void encode(byte_buffer& buffer, const event_head& head,
            const map_broadcast_sent& event) {
  json_writer out{buffer};
  open_map_event(out, head,
                 CONVENE_TYPE("MAPBroadcastSent", "CommunicationEvent"),
                 event.broadcaster.role_id, event.targets);
  out.raw(R"({"broadcast_id":)").id(event.broadcast_id);
  out.raw(R"(,"broadcaster_participant":)");
  out.string(event.broadcaster.participant_id);
  out.raw(R"(,"broadcaster_role_id":)").string(event.broadcaster.role_id);
  out.raw(R"(,"target_count":)");
  out.number(static_cast<std::int64_t>(event.targets.size()));
  out.raw(R"(,"target_participants":)");
  write_participants(out, event.targets);
  out.raw(R"(,"message_type":"task","message":{"task":)").string(event.task);
  out.raw(R"(,"round":)").number(event.round);
  out.raw(R"(,"responses":[)");
  for (std::size_t i = 0; i < event.responses.size(); ++i) {
    const auto& r = event.responses[i];
    out.raw(i == 0 ? "" : ",");
    out.raw(R"({"participant_id":)").string(r.participant_id);
    out.raw(R"(,"status":)").string(r.status);
    out.raw(R"(,"content":)").string(r.content).raw("}");
  }
  out.raw(R"(]},"expires_at":)").time(event.expires_at).raw("}}\n");
}

void encode(byte_buffer& buffer, const event_head& head,
            const map_broadcast_received& event) {
  json_writer out{buffer};
  open_map_event(out, head,
                 CONVENE_TYPE("MAPBroadcastReceived", "CommunicationEvent"),
                 event.receiver.role_id);
  out.raw(R"({"broadcast_ref":)").id(event.broadcast_ref);
  out.raw(R"(,"receiver_participant":)").string(event.receiver.participant_id);
  out.raw(R"(,"receiver_role":)").string(event.receiver.role_id);
  out.raw(R"(,"receiver_role_id":)").string(event.receiver.role_id);
  out.raw(R"(,"status":)").string(event.status);
  out.raw(R"(,"duration_ms":)").number(event.duration_ms);
  write_answer(out.raw(R"(,"response":)"), event);
}

void encode(byte_buffer& buffer, const event_head& head,
            const map_conflict_detected& event) {
  json_writer out{buffer};
  open_map_event(out, head,
                 CONVENE_TYPE("MAPConflictDetected", "ConflictEvent"));
  out.raw(R"({"conflict_id":)").id(event.conflict_id);
  out.raw(R"(,"resource_type":)").string(event.resource_type);
  out.raw(R"(,"resource_id":)").string(event.resource_id);
  write_roles(out.raw(R"(,"conflicting_roles":)"), event.conflicting);
  write_participants(out.raw(R"(,"conflicting_participants":)"),
                     event.conflicting);
  out.raw(R"(,"conflict_type":)").string(event.conflict_type);
  out.raw(R"(,"details":)").raw(event.details).raw("}}\n");
}

void encode(byte_buffer& buffer, const event_head& head,
            const map_conflict_resolved& event) {
  json_writer out{buffer};
  open_map_event(out, head,
                 CONVENE_TYPE("MAPConflictResolved", "ConflictEvent"));
  out.raw(R"({"conflict_id":)").id(event.conflict_id);
  out.raw(R"(,"resolution_strategy":)").string(event.resolution_strategy);
  optional_member(out, R"(,"winning_role":)", event.winner.role_id);
  optional_member(out, R"(,"winning_participant":)",
                  event.winner.participant_id);
  if (!event.losers.empty()) {
    write_roles(out.raw(R"(,"losing_roles":)"), event.losers);
    write_participants(out.raw(R"(,"losing_participants":)"), event.losers);
  }
  if (!event.overridden_versions.empty()) {
    const char* before = R"(,"overridden_versions":[)";
    for (auto version : event.overridden_versions) {
      out.raw(std::string_view{before});
      out.number(static_cast<std::int64_t>(version));
      before = ",";
    }
    out.raw("]");
  }
  if (!event.votes.empty()) {
    const char* before = R"(,"votes":[)";
    for (const auto& vote : event.votes) {
      out.raw(std::string_view{before}).raw(R"({"participant_id":)");
      out.string(vote.participant_id);
      out.raw(R"(,"for":)").string(vote.in_favour_of).raw("}");
      before = ",";
    }
    out.raw("]");
  }
  out.raw(R"(,"reason":)").string(event.reason).raw("}}\n");
}

void encode(byte_buffer& buffer, const event_head& head,
            const map_handoff_initiated& event) {
  json_writer out{buffer};
  open_map_event(out, head,
                 CONVENE_TYPE("MAPHandoffInitiated", "CommunicationEvent"),
                 event.from.role_id, {&event.to, 1});
  out.raw(R"({"handoff_id":)").id(event.handoff_id);
  out.raw(R"(,"from_role":)").string(event.from.role_id);
  out.raw(R"(,"from_participant":)").string(event.from.participant_id);
  out.raw(R"(,"to_role":)").string(event.to.role_id);
  out.raw(R"(,"to_participant":)").string(event.to.participant_id);
  out.raw(R"(,"token_id":)").id(event.token_id);
  if (event.turn_number != 0)
    out.raw(R"(,"turn_number":)").number(event.turn_number);
  optional_member(out, R"(,"plan_id":)", event.plan_id);
  optional_member(out, R"(,"step_id":)", event.step_id);
  optional_member(out, R"(,"instructions":)", event.instructions);
  optional_member(out, R"(,"reason":)", event.reason);
  out.raw("}}\n");
}

void encode(byte_buffer& buffer, const event_head& head,
            const map_session_completed& event) {
  json_writer out{buffer};
  open_map_event(out, head,
                 CONVENE_TYPE("MAPSessionCompleted", "GraphUpdateEvent"));
  out.raw(R"({"status":)").string(to_word(event.status));
  out.raw(R"(,"participants_count":)");
  out.number(static_cast<std::int64_t>(event.participants_count));
  out.raw(R"(,"turns_total":)").number(event.turns_total);
  out.raw(R"(,"broadcasts_count":)").number(event.broadcasts_count);
  out.raw(R"(,"conflicts_count":)").number(event.conflicts_count);
  out.raw(R"(,"handoffs_count":)").number(event.handoffs_count);
  out.raw(R"(,"duration_ms":)").number(event.duration_ms);
  out.raw(R"(,"usage":{"prompt_tokens":)").number(event.usage.prompt_tokens);
  out.raw(R"(,"completion_tokens":)").number(event.usage.completion_tokens);
  out.raw(R"(,"cost_microusd":)").number(event.usage.cost_microusd);
  out.raw(R"(},"stop_reason":{"condition":)");
  out.string(event.stop_reason.condition);
  out.raw(R"(,"observed":)").string(event.stop_reason.observed);
  if (event.stop_reason.limit >= 0)
    out.raw(R"(,"limit":)").number(event.stop_reason.limit);
  out.raw("}}}\n");
}

} // namespace convene::protocol
