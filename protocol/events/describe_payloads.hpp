#pragma once

// The members of the payloads of SA and MAP events; see
// codec/description.hpp.

#include <convene/protocol/documents/describe.hpp>
#include <convene/protocol/events/map_payloads.hpp>
#include <convene/protocol/events/sa_event.hpp>

namespace convene::protocol {

CONVENE_DESCRIBE(sa_initialized_payload, MEMBER(runtime_version),
                 MEMBER(capabilities), OTHERS);

CONVENE_DESCRIBE(sa_context_loaded_payload, MEMBER(context_title),
                 MEMBER(context_status), OTHERS);

CONVENE_DESCRIBE(sa_plan_evaluated_payload, MEMBER(plan_title),
                 MEMBER(step_count, from_zero), OTHERS);

CONVENE_DESCRIBE(sa_step_started_payload, MEMBER(step_id, any_uuid),
                 MEMBER(agent_role), MEMBER(description), OTHERS);

CONVENE_DESCRIBE(sa_step_completed_payload, MEMBER(step_id, any_uuid),
                 MEMBER(status), MEMBER(result), OTHERS);

CONVENE_DESCRIBE(sa_step_failed_payload, MEMBER(step_id, any_uuid),
                 MEMBER(status), MEMBER(error_code), MEMBER(error_message),
                 OTHERS);

CONVENE_DESCRIBE(sa_trace_emitted_payload, MEMBER(events_written, from_zero),
                 OTHERS);

CONVENE_DESCRIBE(sa_completed_payload, MEMBER(status),
                 MEMBER(steps_executed, from_zero),
                 MEMBER(steps_succeeded, from_zero),
                 MEMBER(steps_failed, from_zero), OTHERS);

CONVENE_DESCRIBE(session_started_payload, MEMBER(mode), MEMBER(policy),
                 MEMBER(participant_count, from_zero), MEMBER(context_id),
                 MEMBER(title), MEMBER(purpose), MEMBER(session_key),
                 MEMBER(rules, constraint{.minimum = 1}), MEMBER(rules_since),
                 MEMBER(spec_sha256), MEMBER(spec), OTHERS);

CONVENE_DESCRIBE(assigned_role, MEMBER(participant_id), MEMBER(role_id),
                 MEMBER(kind), MEMBER(role_name), OTHERS);

CONVENE_DESCRIBE(roles_assigned_payload, MEMBER(assignments), OTHERS);

CONVENE_DESCRIBE(turn_resource, MEMBER(resource_type), MEMBER(resource_id),
                 OTHERS);

CONVENE_DESCRIBE(turn_dispatched_payload, MEMBER(participant_id),
                 MEMBER(role_id), MEMBER(turn_number), MEMBER(token_id),
                 MEMBER(task), MEMBER(expires_at, date_time), MEMBER(duty),
                 MEMBER(step_id), MEMBER(attempt), MEMBER(handoff_id),
                 MEMBER(resources), OTHERS);

CONVENE_DESCRIBE(event_error, MEMBER(code), MEMBER(message), OTHERS);

CONVENE_DESCRIBE(turn_completed_payload, MEMBER(participant_id),
                 MEMBER(role_id), MEMBER(turn_number), MEMBER(token_id),
                 MEMBER(status), MEMBER(duration_ms), MEMBER(output_summary),
                 MEMBER(result), MEMBER(reply), MEMBER(error), OTHERS);

CONVENE_DESCRIBE(broadcast_sent_payload, MEMBER(broadcast_id),
                 MEMBER(broadcaster_participant), MEMBER(broadcaster_role_id),
                 MEMBER(target_count), MEMBER(target_participants),
                 MEMBER(message_type), MEMBER(message),
                 MEMBER(expires_at, date_time), OTHERS);

CONVENE_DESCRIBE(broadcast_received_payload, MEMBER(broadcast_ref),
                 MEMBER(receiver_participant), MEMBER(receiver_role),
                 MEMBER(receiver_role_id), MEMBER(status), MEMBER(duration_ms),
                 MEMBER(response), MEMBER(reply), MEMBER(error), OTHERS);

CONVENE_DESCRIBE(conflict_detected_payload, MEMBER(conflict_id),
                 MEMBER(resource_type), MEMBER(resource_id),
                 MEMBER(conflicting_roles), MEMBER(conflicting_participants),
                 MEMBER(conflict_type), MEMBER(details), OTHERS);

CONVENE_DESCRIBE(conflict_vote, MEMBER(participant_id),
                 v.member("for", x.in_favour_of), OTHERS);

CONVENE_DESCRIBE(conflict_resolved_payload, MEMBER(conflict_id),
                 MEMBER(resolution_strategy), MEMBER(winning_role),
                 MEMBER(winning_participant), MEMBER(losing_roles),
                 MEMBER(losing_participants), MEMBER(overridden_versions),
                 MEMBER(votes), MEMBER(reason), OTHERS);

CONVENE_DESCRIBE(session_usage, MEMBER(prompt_tokens),
                 MEMBER(completion_tokens), MEMBER(cost_microusd), OTHERS);

CONVENE_DESCRIBE(session_stop_reason, MEMBER(condition), MEMBER(observed),
                 MEMBER(limit), OTHERS);

CONVENE_DESCRIBE(session_completed_payload, MEMBER(status),
                 MEMBER(participants_count), MEMBER(turns_total, from_zero),
                 MEMBER(broadcasts_count), MEMBER(conflicts_count),
                 MEMBER(handoffs_count), MEMBER(duration_ms), MEMBER(usage),
                 MEMBER(stop_reason), OTHERS);

CONVENE_DESCRIBE(handoff_initiated_payload, MEMBER(handoff_id),
                 MEMBER(from_role), MEMBER(from_participant), MEMBER(to_role),
                 MEMBER(to_participant), MEMBER(token_id), MEMBER(turn_number),
                 MEMBER(plan_id), MEMBER(step_id), MEMBER(instructions),
                 MEMBER(reason), OTHERS);

} // namespace convene::protocol
