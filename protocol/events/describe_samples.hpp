#pragma once

// The members of learning samples; see codec/description.hpp.

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

CONVENE_DESCRIBE(sample_meta, describe_meta(v, x), OTHERS);

/// What follows the family in all samples.
void describe_parts(auto& v, auto& x) {
  v.member("created_at", x.created_at, date_time);
  v.member("input", x.input);
  v.member("state", x.state);
  v.member("output", x.output);
  v.member("meta", x.meta);
  v.others(x.others);
}

CONVENE_DESCRIBE(learning_sample, MEMBER(sample_id, any_uuid),
                 MEMBER(sample_family), describe_parts(v, x));

CONVENE_DESCRIBE(intent_input, MEMBER(intent_id), MEMBER(raw_request_summary),
                 MEMBER(constraints_summary),
                 MEMBER(dialog_turns_count, from_zero), OTHERS);

CONVENE_DESCRIBE(intent_state, MEMBER(project_phase),
                 MEMBER(psg_node_count, from_zero),
                 MEMBER(existing_plan_count, from_zero), OTHERS);

CONVENE_DESCRIBE(intent_output, MEMBER(final_intent_summary),
                 MEMBER(plan_id, any_uuid), MEMBER(plan_step_count, from_zero),
                 MEMBER(resolution_quality_label), OTHERS);

CONVENE_DESCRIBE(intent_meta, describe_meta(v, x),
                 MEMBER(clarification_rounds, from_zero),
                 MEMBER(ambiguity_flags), OTHERS);

CONVENE_DESCRIBE(intent_sample, MEMBER(sample_id, any_uuid),
                 v.constant("sample_family", intent_family),
                 describe_parts(v, x));

CONVENE_DESCRIBE(delta_input, MEMBER(delta_id), MEMBER(intent_id),
                 MEMBER(delta_type), MEMBER(change_summary), OTHERS);

CONVENE_DESCRIBE(delta_state, MEMBER(affected_artifact_count, from_zero),
                 MEMBER(risk_level), MEMBER(psg_complexity_score, from_zero),
                 OTHERS);

CONVENE_DESCRIBE(delta_output, MEMBER(actual_impact_summary),
                 MEMBER(impact_scope), MEMBER(comp_plan_required),
                 MEMBER(comp_plan_applied), MEMBER(rollback_used), OTHERS);

CONVENE_DESCRIBE(delta_meta, describe_meta(v, x),
                 MEMBER(impact_analysis_duration_ms, from_zero),
                 MEMBER(predicted_vs_actual_accuracy), OTHERS);

CONVENE_DESCRIBE(delta_sample, MEMBER(sample_id, any_uuid),
                 v.constant("sample_family", delta_family),
                 describe_parts(v, x));

CONVENE_DESCRIBE(run_error_info, MEMBER(error_code), MEMBER(error_message),
                 MEMBER(stack_trace));

CONVENE_DESCRIBE(agent_tokens, MEMBER(agent_id), MEMBER(role),
                 MEMBER(tokens, from_zero));

CONVENE_DESCRIBE(token_usage, MEMBER(total_tokens, from_zero),
                 MEMBER(prompt_tokens, from_zero),
                 MEMBER(completion_tokens, from_zero), MEMBER(by_agent));

CONVENE_DESCRIBE(user_feedback, MEMBER(decision), MEMBER(comment),
                 MEMBER(rating, between(0, 5)));

CONVENE_DESCRIBE(run_times, MEMBER(started_at, date_time),
                 MEMBER(completed_at, date_time));

CONVENE_DESCRIBE(run_sample, MEMBER(sample_id, identifier), MEMBER(project_id),
                 MEMBER(intent_before), MEMBER(plan), MEMBER(delta_intents),
                 MEMBER(graph_before), MEMBER(graph_after),
                 MEMBER(pipeline_path), MEMBER(success_flag),
                 MEMBER(error_info), MEMBER(token_usage),
                 MEMBER(execution_time_ms, from_zero),
                 MEMBER(impact_score, between(0, 1)), MEMBER(user_feedback),
                 MEMBER(governance_decisions), MEMBER(timestamps),
                 MEMBER(metadata), MEMBER(vendor_extensions));

} // namespace convene::protocol
