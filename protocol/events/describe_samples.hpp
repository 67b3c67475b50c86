#pragma once

// The members of learning samples; see protocol/documents/describe.hpp.

#include <convene/protocol/documents/describe.hpp>
#include <convene/protocol/events/learning_samples.hpp>
#include <convene/protocol/events/run_sample.hpp>

namespace convene::protocol {

/// What `meta` has in all families.
void describe_meta(auto& v, auto& x) {
  v.member("source_flow_id", x.source_flow_id);
  v.member("source_event_ids", x.source_event_ids, any_uuid);
  v.member("project_id", x.project_id, any_uuid);
  v.member("human_feedback_label", x.human_feedback_label);
  v.member("quality_score", x.quality_score, between(0, 1));
}

void describe(auto& v, of<sample_meta> auto& x) {
  describe_meta(v, x);
  v.others(x.others);
}

/// What follows the family in all samples.
void describe_parts(auto& v, auto& x) {
  v.member("created_at", x.created_at, date_time);
  v.member("input", x.input);
  v.member("state", x.state);
  v.member("output", x.output);
  v.member("meta", x.meta);
  v.others(x.others);
}

void describe(auto& v, of<learning_sample> auto& x) {
  v.member("sample_id", x.sample_id, any_uuid);
  v.member("sample_family", x.sample_family);
  describe_parts(v, x);
}

void describe(auto& v, of<intent_input> auto& x) {
  v.member("intent_id", x.intent_id);
  v.member("raw_request_summary", x.raw_request_summary);
  v.member("constraints_summary", x.constraints_summary);
  v.member("dialog_turns_count", x.dialog_turns_count, from_zero);
  v.others(x.others);
}

void describe(auto& v, of<intent_state> auto& x) {
  v.member("project_phase", x.project_phase);
  v.member("psg_node_count", x.psg_node_count, from_zero);
  v.member("existing_plan_count", x.existing_plan_count, from_zero);
  v.others(x.others);
}

void describe(auto& v, of<intent_output> auto& x) {
  v.member("final_intent_summary", x.final_intent_summary);
  v.member("plan_id", x.plan_id, any_uuid);
  v.member("plan_step_count", x.plan_step_count, from_zero);
  v.member("resolution_quality_label", x.resolution_quality_label);
  v.others(x.others);
}

void describe(auto& v, of<intent_meta> auto& x) {
  describe_meta(v, x);
  v.member("clarification_rounds", x.clarification_rounds, from_zero);
  v.member("ambiguity_flags", x.ambiguity_flags);
  v.others(x.others);
}

void describe(auto& v, of<intent_sample> auto& x) {
  v.member("sample_id", x.sample_id, any_uuid);
  v.constant("sample_family", intent_family);
  describe_parts(v, x);
}

void describe(auto& v, of<delta_input> auto& x) {
  v.member("delta_id", x.delta_id);
  v.member("intent_id", x.intent_id);
  v.member("delta_type", x.delta_type);
  v.member("change_summary", x.change_summary);
  v.others(x.others);
}

void describe(auto& v, of<delta_state> auto& x) {
  v.member("affected_artifact_count", x.affected_artifact_count, from_zero);
  v.member("risk_level", x.risk_level);
  v.member("psg_complexity_score", x.psg_complexity_score, from_zero);
  v.others(x.others);
}

void describe(auto& v, of<delta_output> auto& x) {
  v.member("actual_impact_summary", x.actual_impact_summary);
  v.member("impact_scope", x.impact_scope);
  v.member("comp_plan_required", x.comp_plan_required);
  v.member("comp_plan_applied", x.comp_plan_applied);
  v.member("rollback_used", x.rollback_used);
  v.others(x.others);
}

void describe(auto& v, of<delta_meta> auto& x) {
  describe_meta(v, x);
  v.member("impact_analysis_duration_ms", x.impact_analysis_duration_ms,
           from_zero);
  v.member("predicted_vs_actual_accuracy", x.predicted_vs_actual_accuracy);
  v.others(x.others);
}

void describe(auto& v, of<delta_sample> auto& x) {
  v.member("sample_id", x.sample_id, any_uuid);
  v.constant("sample_family", delta_family);
  describe_parts(v, x);
}

void describe(auto& v, of<run_error> auto& x) {
  v.member("error_code", x.error_code);
  v.member("error_message", x.error_message);
  v.member("stack_trace", x.stack_trace);
}

void describe(auto& v, of<agent_tokens> auto& x) {
  v.member("agent_id", x.agent_id);
  v.member("role", x.role);
  v.member("tokens", x.tokens, from_zero);
}

void describe(auto& v, of<token_usage> auto& x) {
  v.member("total_tokens", x.total_tokens, from_zero);
  v.member("prompt_tokens", x.prompt_tokens, from_zero);
  v.member("completion_tokens", x.completion_tokens, from_zero);
  v.member("by_agent", x.by_agent);
}

void describe(auto& v, of<user_feedback> auto& x) {
  v.member("decision", x.decision);
  v.member("comment", x.comment);
  v.member("rating", x.rating, between(0, 5));
}

void describe(auto& v, of<run_times> auto& x) {
  v.member("started_at", x.started_at, date_time);
  v.member("completed_at", x.completed_at, date_time);
}

void describe(auto& v, of<run_sample> auto& x) {
  v.member("sample_id", x.sample_id, identifier);
  v.member("project_id", x.project_id);
  v.member("intent_before", x.intent_before);
  v.member("plan", x.plan);
  v.member("delta_intents", x.delta_intents);
  v.member("graph_before", x.graph_before);
  v.member("graph_after", x.graph_after);
  v.member("pipeline_path", x.pipeline_path);
  v.member("success_flag", x.success_flag);
  v.member("error_info", x.error_info);
  v.member("token_usage", x.token_usage);
  v.member("execution_time_ms", x.execution_time_ms, from_zero);
  v.member("impact_score", x.impact_score, between(0, 1));
  v.member("user_feedback", x.user_feedback);
  v.member("governance_decisions", x.governance_decisions);
  v.member("timestamps", x.timestamps);
  v.member("metadata", x.metadata);
  v.member("vendor_extensions", x.vendor_extensions);
}

} // namespace convene::protocol
