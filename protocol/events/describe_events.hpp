#pragma once

// The members of all events but the payloads of SA and MAP events; see
// protocol/documents/describe.hpp.

#include <convene/protocol/documents/describe.hpp>
#include <convene/protocol/events/core_events.hpp>
#include <convene/protocol/events/integration_events.hpp>
#include <convene/protocol/events/map_event_value.hpp>
#include <convene/protocol/events/sa_event.hpp>

namespace convene::protocol {

void describe(auto& v, of<core_event> auto& x) {
  v.member("event_id", x.event_id, any_uuid);
  v.member("event_type", x.event_type);
  v.member("event_family", x.event_family);
  v.member("timestamp", x.timestamp, date_time);
  v.member("project_id", x.project_id, any_uuid);
  v.member("payload", x.payload);
  v.others(x.others);
}

/// What the events of one family begin with.
void describe_head(auto& v, auto& x, event_family family) {
  v.member("event_id", x.event_id, any_uuid);
  v.member("event_type", x.event_type);
  v.constant("event_family", to_word(family));
  v.member("timestamp", x.timestamp, date_time);
  v.member("project_id", x.project_id, any_uuid);
}

void describe(auto& v, of<pipeline_stage_event> auto& x) {
  describe_head(v, x, event_family::pipeline_stage);
  v.member("pipeline_id", x.pipeline_id, any_uuid);
  v.member("stage_id", x.stage_id);
  v.member("stage_name", x.stage_name);
  v.member("stage_status", x.stage_status);
  v.member("stage_order", x.stage_order, from_zero);
  v.member("payload", x.payload);
  v.others(x.others);
}

void describe(auto& v, of<graph_update_event> auto& x) {
  describe_head(v, x, event_family::graph_update);
  v.member("graph_id", x.graph_id, any_uuid);
  v.member("update_kind", x.update_kind);
  v.member("node_delta", x.node_delta);
  v.member("edge_delta", x.edge_delta);
  v.member("source_module", x.source_module);
  v.member("payload", x.payload);
  v.others(x.others);
}

void describe(auto& v, of<runtime_execution_event> auto& x) {
  describe_head(v, x, event_family::runtime_execution);
  v.member("execution_id", x.execution_id, any_uuid);
  v.member("executor_kind", x.executor_kind);
  v.member("executor_role", x.executor_role);
  v.member("status", x.status);
  v.member("payload", x.payload);
  v.others(x.others);
}

void describe(auto& v, of<sa_event> auto& x) {
  v.member("event_id", x.event_id, any_uuid);
  v.member("event_type", x.event_type);
  v.member("timestamp", x.timestamp, date_time);
  v.member("sa_id", x.sa_id, any_uuid);
  v.member("context_id", x.context_id, any_uuid);
  v.member("plan_id", x.plan_id, any_uuid);
  v.member("trace_id", x.trace_id, any_uuid);
  v.member("payload", x.payload);
}

void describe(auto& v, of<map_event> auto& x) {
  v.member("event_id", x.event_id, any_uuid);
  v.member("event_type", x.event_type);
  v.member("event_family", x.event_family);
  v.member("session_id", x.session_id, any_uuid);
  v.member("timestamp", x.timestamp, date_time);
  v.member("initiator_role", x.initiator_role);
  v.member("target_roles", x.target_roles);
  v.member("payload", x.payload);
}

void describe(auto& v, of<file_update_event> auto& x) {
  v.member("file_path", x.file_path, not_empty);
  v.member("change_type", x.change_type);
  v.member("workspace_root", x.workspace_root);
  v.member("change_summary", x.change_summary);
  v.member("timestamp", x.timestamp, date_time);
  v.member("lines_added", x.lines_added, from_zero);
  v.member("lines_removed", x.lines_removed, from_zero);
  v.member("previous_path", x.previous_path);
  v.member("encoding", x.encoding);
  v.member("language", x.language);
}

void describe(auto& v, of<git_event> auto& x) {
  v.member("repo_url", x.repo_url, not_empty);
  v.member("commit_id", x.commit_id, not_empty);
  v.member("ref_name", x.ref_name, not_empty);
  v.member("event_kind", x.event_kind);
  v.member("author_name", x.author_name);
  v.member("author_email", x.author_email, email);
  v.member("commit_message", x.commit_message);
  v.member("timestamp", x.timestamp, date_time);
  v.member("files_changed", x.files_changed, from_zero);
  v.member("insertions", x.insertions, from_zero);
  v.member("deletions", x.deletions, from_zero);
  v.member("parent_commits", x.parent_commits);
}

void describe(auto& v, of<ci_stage> auto& x) {
  v.member("stage_name", x.stage_name);
  v.member("status", x.status);
  v.member("duration_ms", x.duration_ms, from_zero);
}

void describe(auto& v, of<ci_event> auto& x) {
  v.member("ci_provider", x.ci_provider, not_empty);
  v.member("pipeline_id", x.pipeline_id, not_empty);
  v.member("run_id", x.run_id, not_empty);
  v.member("status", x.status);
  v.member("started_at", x.started_at, date_time);
  v.member("completed_at", x.completed_at, date_time);
  v.member("branch_name", x.branch_name);
  v.member("commit_id", x.commit_id);
  v.member("run_url", x.run_url, uri);
  v.member("duration_ms", x.duration_ms, from_zero);
  v.member("stages", x.stages);
  v.member("trigger_kind", x.trigger_kind);
}

void describe(auto& v, of<tool_event> auto& x) {
  v.member("tool_id", x.tool_id, not_empty);
  v.member("tool_kind", x.tool_kind);
  v.member("invocation_id", x.invocation_id, identifier);
  v.member("status", x.status);
  v.member("started_at", x.started_at, date_time);
  v.member("completed_at", x.completed_at, date_time);
  v.member("exit_code", x.exit_code);
  v.member("output_summary", x.output_summary);
  v.member("args", x.args);
  v.member("working_directory", x.working_directory);
}

} // namespace convene::protocol
