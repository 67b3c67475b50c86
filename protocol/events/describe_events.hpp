#pragma once

// The members of all events but the payloads of SA and MAP events; see
// codec/description.hpp.

#include <convene/protocol/documents/describe.hpp>
#include <convene/protocol/events/core_events.hpp>
#include <convene/protocol/events/integration_events.hpp>
#include <convene/protocol/events/map_event_value.hpp>
#include <convene/protocol/events/sa_event.hpp>

namespace convene::protocol {

CONVENE_DESCRIBE(core_event, MEMBER(event_id, any_uuid), MEMBER(event_type),
                 MEMBER(event_family), MEMBER(timestamp, date_time),
                 MEMBER(project_id, any_uuid), MEMBER(payload), OTHERS);

/// What the events of one family begin with.
void describe_head(auto& v, auto& x, event_family family) {
  v.member("event_id", x.event_id, any_uuid);
  v.member("event_type", x.event_type);
  v.constant("event_family", to_word(family));
  v.member("timestamp", x.timestamp, date_time);
  v.member("project_id", x.project_id, any_uuid);
}

CONVENE_DESCRIBE(pipeline_stage_event,
                 describe_head(v, x, event_family::pipeline_stage),
                 MEMBER(pipeline_id, any_uuid), MEMBER(stage_id),
                 MEMBER(stage_name), MEMBER(stage_status),
                 MEMBER(stage_order, from_zero), MEMBER(payload), OTHERS);

CONVENE_DESCRIBE(graph_update_event,
                 describe_head(v, x, event_family::graph_update),
                 MEMBER(graph_id, any_uuid), MEMBER(update_kind),
                 MEMBER(node_delta), MEMBER(edge_delta), MEMBER(source_module),
                 MEMBER(payload), OTHERS);

CONVENE_DESCRIBE(runtime_execution_event,
                 describe_head(v, x, event_family::runtime_execution),
                 MEMBER(execution_id, any_uuid), MEMBER(executor_kind),
                 MEMBER(executor_role), MEMBER(status), MEMBER(payload),
                 OTHERS);

CONVENE_DESCRIBE(sa_event, MEMBER(event_id, any_uuid), MEMBER(event_type),
                 MEMBER(timestamp, date_time), MEMBER(sa_id, any_uuid),
                 MEMBER(context_id, any_uuid), MEMBER(plan_id, any_uuid),
                 MEMBER(trace_id, any_uuid), MEMBER(payload));

CONVENE_DESCRIBE(map_event, MEMBER(event_id, any_uuid), MEMBER(event_type),
                 MEMBER(event_family), MEMBER(session_id, any_uuid),
                 MEMBER(timestamp, date_time), MEMBER(initiator_role),
                 MEMBER(target_roles), MEMBER(payload));

CONVENE_DESCRIBE(file_update_event, MEMBER(file_path, not_empty),
                 MEMBER(change_type), MEMBER(workspace_root),
                 MEMBER(change_summary), MEMBER(timestamp, date_time),
                 MEMBER(lines_added, from_zero),
                 MEMBER(lines_removed, from_zero), MEMBER(previous_path),
                 MEMBER(encoding), MEMBER(language));

CONVENE_DESCRIBE(git_event, MEMBER(repo_url, not_empty),
                 MEMBER(commit_id, not_empty), MEMBER(ref_name, not_empty),
                 MEMBER(event_kind), MEMBER(author_name),
                 MEMBER(author_email, email), MEMBER(commit_message),
                 MEMBER(timestamp, date_time), MEMBER(files_changed, from_zero),
                 MEMBER(insertions, from_zero), MEMBER(deletions, from_zero),
                 MEMBER(parent_commits));

CONVENE_DESCRIBE(ci_stage, MEMBER(stage_name), MEMBER(status),
                 MEMBER(duration_ms, from_zero));

CONVENE_DESCRIBE(ci_event, MEMBER(ci_provider, not_empty),
                 MEMBER(pipeline_id, not_empty), MEMBER(run_id, not_empty),
                 MEMBER(status), MEMBER(started_at, date_time),
                 MEMBER(completed_at, date_time), MEMBER(branch_name),
                 MEMBER(commit_id), MEMBER(run_url, uri),
                 MEMBER(duration_ms, from_zero), MEMBER(stages),
                 MEMBER(trigger_kind));

CONVENE_DESCRIBE(tool_event, MEMBER(tool_id, not_empty), MEMBER(tool_kind),
                 MEMBER(invocation_id, identifier), MEMBER(status),
                 MEMBER(started_at, date_time), MEMBER(completed_at, date_time),
                 MEMBER(exit_code), MEMBER(output_summary), MEMBER(args),
                 MEMBER(working_directory));

} // namespace convene::protocol
