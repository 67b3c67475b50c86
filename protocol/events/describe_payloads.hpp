#pragma once

// The members of the payloads of SA and MAP events; see
// protocol/documents/describe.hpp.

#include <convene/protocol/documents/describe.hpp>
#include <convene/protocol/events/map_payloads.hpp>
#include <convene/protocol/events/sa_event.hpp>

namespace convene::protocol {

void describe(auto& v, of<sa_initialized_payload> auto& x) {
  v.member("runtime_version", x.runtime_version);
  v.member("capabilities", x.capabilities);
  v.others(x.others);
}

void describe(auto& v, of<sa_context_loaded_payload> auto& x) {
  v.member("context_title", x.context_title);
  v.member("context_status", x.context_status);
  v.others(x.others);
}

void describe(auto& v, of<sa_plan_evaluated_payload> auto& x) {
  v.member("plan_title", x.plan_title);
  v.member("step_count", x.step_count, from_zero);
  v.others(x.others);
}

void describe(auto& v, of<sa_step_started_payload> auto& x) {
  v.member("step_id", x.step_id, any_uuid);
  v.member("agent_role", x.agent_role);
  v.member("description", x.description);
  v.others(x.others);
}

void describe(auto& v, of<sa_step_completed_payload> auto& x) {
  v.member("step_id", x.step_id, any_uuid);
  v.member("status", x.status);
  v.member("result", x.result);
  v.others(x.others);
}

void describe(auto& v, of<sa_step_failed_payload> auto& x) {
  v.member("step_id", x.step_id, any_uuid);
  v.member("status", x.status);
  v.member("error_code", x.error_code);
  v.member("error_message", x.error_message);
  v.others(x.others);
}

void describe(auto& v, of<sa_trace_emitted_payload> auto& x) {
  v.member("events_written", x.events_written, from_zero);
  v.others(x.others);
}

void describe(auto& v, of<sa_completed_payload> auto& x) {
  v.member("status", x.status);
  v.member("steps_executed", x.steps_executed, from_zero);
  v.member("steps_succeeded", x.steps_succeeded, from_zero);
  v.member("steps_failed", x.steps_failed, from_zero);
  v.others(x.others);
}

void describe(auto& v, of<session_started_payload> auto& x) {
  v.member("mode", x.mode);
  v.member("policy", x.policy);
  v.member("participant_count", x.participant_count, from_zero);
  v.member("context_id", x.context_id);
  v.member("title", x.title);
  v.member("purpose", x.purpose);
  v.member("session_key", x.session_key);
  v.member("rules", x.rules, constraint{.minimum = 1});
  v.member("rules_since", x.rules_since);
  v.member("spec", x.spec);
  v.others(x.others);
}

void describe(auto& v, of<assigned_role> auto& x) {
  v.member("participant_id", x.participant_id);
  v.member("role_id", x.role_id);
  v.member("kind", x.kind);
  v.member("role_name", x.role_name);
  v.others(x.others);
}

void describe(auto& v, of<roles_assigned_payload> auto& x) {
  v.member("assignments", x.assignments);
  v.others(x.others);
}

void describe(auto& v, of<turn_resource> auto& x) {
  v.member("resource_type", x.resource_type);
  v.member("resource_id", x.resource_id);
  v.others(x.others);
}

void describe(auto& v, of<turn_dispatched_payload> auto& x) {
  v.member("participant_id", x.participant_id);
  v.member("role_id", x.role_id);
  v.member("turn_number", x.turn_number);
  v.member("token_id", x.token_id);
  v.member("task", x.task);
  v.member("expires_at", x.expires_at, date_time);
  v.member("duty", x.duty);
  v.member("step_id", x.step_id);
  v.member("attempt", x.attempt);
  v.member("handoff_id", x.handoff_id);
  v.member("resources", x.resources);
  v.others(x.others);
}

void describe(auto& v, of<event_error> auto& x) {
  v.member("code", x.code);
  v.member("message", x.message);
  v.others(x.others);
}

void describe(auto& v, of<turn_completed_payload> auto& x) {
  v.member("participant_id", x.participant_id);
  v.member("role_id", x.role_id);
  v.member("turn_number", x.turn_number);
  v.member("token_id", x.token_id);
  v.member("status", x.status);
  v.member("duration_ms", x.duration_ms);
  v.member("output_summary", x.output_summary);
  v.member("result", x.result);
  v.member("reply", x.reply);
  v.member("error", x.error);
  v.others(x.others);
}

void describe(auto& v, of<broadcast_sent_payload> auto& x) {
  v.member("broadcast_id", x.broadcast_id);
  v.member("broadcaster_participant", x.broadcaster_participant);
  v.member("broadcaster_role_id", x.broadcaster_role_id);
  v.member("target_count", x.target_count);
  v.member("target_participants", x.target_participants);
  v.member("message_type", x.message_type);
  v.member("message", x.message);
  v.member("expires_at", x.expires_at, date_time);
  v.others(x.others);
}

void describe(auto& v, of<broadcast_received_payload> auto& x) {
  v.member("broadcast_ref", x.broadcast_ref);
  v.member("receiver_participant", x.receiver_participant);
  v.member("receiver_role", x.receiver_role);
  v.member("receiver_role_id", x.receiver_role_id);
  v.member("status", x.status);
  v.member("duration_ms", x.duration_ms);
  v.member("response", x.response);
  v.member("reply", x.reply);
  v.member("error", x.error);
  v.others(x.others);
}

void describe(auto& v, of<conflict_detected_payload> auto& x) {
  v.member("conflict_id", x.conflict_id);
  v.member("resource_type", x.resource_type);
  v.member("resource_id", x.resource_id);
  v.member("conflicting_roles", x.conflicting_roles);
  v.member("conflicting_participants", x.conflicting_participants);
  v.member("conflict_type", x.conflict_type);
  v.member("details", x.details);
  v.others(x.others);
}

void describe(auto& v, of<conflict_vote> auto& x) {
  v.member("participant_id", x.participant_id);
  v.member("for", x.in_favour_of);
  v.others(x.others);
}

void describe(auto& v, of<conflict_resolved_payload> auto& x) {
  v.member("conflict_id", x.conflict_id);
  v.member("resolution_strategy", x.resolution_strategy);
  v.member("winning_role", x.winning_role);
  v.member("winning_participant", x.winning_participant);
  v.member("losing_roles", x.losing_roles);
  v.member("losing_participants", x.losing_participants);
  v.member("overridden_versions", x.overridden_versions);
  v.member("votes", x.votes);
  v.member("reason", x.reason);
  v.others(x.others);
}

void describe(auto& v, of<session_usage> auto& x) {
  v.member("prompt_tokens", x.prompt_tokens);
  v.member("completion_tokens", x.completion_tokens);
  v.member("cost_microusd", x.cost_microusd);
  v.others(x.others);
}

void describe(auto& v, of<session_stop_reason> auto& x) {
  v.member("condition", x.condition);
  v.member("observed", x.observed);
  v.member("limit", x.limit);
  v.others(x.others);
}

void describe(auto& v, of<session_completed_payload> auto& x) {
  v.member("status", x.status);
  v.member("participants_count", x.participants_count);
  v.member("turns_total", x.turns_total, from_zero);
  v.member("broadcasts_count", x.broadcasts_count);
  v.member("conflicts_count", x.conflicts_count);
  v.member("handoffs_count", x.handoffs_count);
  v.member("duration_ms", x.duration_ms);
  v.member("usage", x.usage);
  v.member("stop_reason", x.stop_reason);
  v.others(x.others);
}

void describe(auto& v, of<handoff_initiated_payload> auto& x) {
  v.member("handoff_id", x.handoff_id);
  v.member("from_role", x.from_role);
  v.member("from_participant", x.from_participant);
  v.member("to_role", x.to_role);
  v.member("to_participant", x.to_participant);
  v.member("token_id", x.token_id);
  v.member("turn_number", x.turn_number);
  v.member("plan_id", x.plan_id);
  v.member("step_id", x.step_id);
  v.member("instructions", x.instructions);
  v.member("reason", x.reason);
  v.others(x.others);
}

} // namespace convene::protocol
