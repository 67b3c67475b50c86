#include <convene/protocol/documents/described_codec.hpp>
#include <convene/protocol/workflow/describe_workflow.hpp>
#include <convene/protocol/workflow/run_payloads.hpp>

namespace convene::protocol {

void describe(auto& v, of<run_fork> auto& x) {
  v.member("runId", x.run_id, run_text);
  v.member("fromSeq", x.from_seq, from_zero);
  v.member("inherited", x.inherited, from_zero);
  v.member("mode", x.mode);
  v.member("idsOf", x.ids_of, run_text);
}

void describe(auto& v, of<run_failure> auto& x) {
  v.member("code", x.code);
  v.member("message", x.message);
  v.member("details", x.details);
  v.member("retryable", x.retryable);
}

void describe(auto& v, of<run_started> auto& x) {
  v.member("workflowId", x.workflow_id);
  v.member("workflowVersion", x.workflow_version);
  v.member("workflowDigest", x.workflow_digest);
  v.defaulted("inputs", x.inputs);
  v.sparse("configurable", x.configurable);
  v.sparse("tags", x.tags);
  v.sparse("metadata", x.metadata);
  v.member("transport", x.transport);
  v.member("callbackDigest", x.callback_digest);
  v.member("conversationPrimitive", x.conversation_primitive);
  v.member("forkedFrom", x.forked_from);
  v.others(x.others);
}

void describe(auto& v, of<run_completed> auto& x) {
  v.member("reason", x.reason);
  v.member("durationMs", x.duration_ms);
  v.others(x.others);
}

void describe(auto& v, of<run_failed> auto& x) {
  v.member("error", x.error);
  v.member("failedNodeId", x.failed_node_id);
  v.member("durationMs", x.duration_ms);
  v.others(x.others);
}

void describe(auto& v, of<run_cancelled> auto& x) {
  v.member("reason", x.reason);
  v.member("cancelledBy", x.cancelled_by);
  v.member("durationMs", x.duration_ms);
  v.others(x.others);
}

void describe(auto& v, of<run_paused> auto& x) {
  v.member("reason", x.reason);
  v.member("policy", x.policy);
  v.others(x.others);
}

void describe(auto& v, of<node_started> auto& x) {
  v.member("nodeId", x.node_id, run_text);
  v.member("typeId", x.type_id, run_text);
  v.defaulted("attempt", x.attempt, from_zero);
  v.member("dueAt", x.due_at, date_time);
  v.member("sessionId", x.session_id);
  v.others(x.others);
}

void describe(auto& v, of<node_completed> auto& x) {
  v.member("nodeId", x.node_id, run_text);
  v.member("outputs", x.outputs);
  v.member("durationMs", x.duration_ms);
  v.others(x.others);
}

void describe(auto& v, of<node_failed> auto& x) {
  v.member("nodeId", x.node_id, run_text);
  v.member("error", x.error);
  v.member("attempts", x.attempts);
  v.others(x.others);
}

void describe(auto& v, of<node_noted> auto& x) {
  v.member("nodeId", x.node_id, run_text);
  v.member("reason", x.reason);
  v.others(x.others);
}

void describe(auto& v, of<channel_written> auto& x) {
  v.member("channel", x.channel);
  v.member("value", x.value);
  v.member("reducer", x.reducer);
  v.member("writtenAt", x.written_at, date_time);
  v.member("nodeId", x.node_id, run_text);
}

void describe(auto& v, of<cap_breached> auto& x) {
  v.member("kind", x.kind);
  v.member("limit", x.limit);
  v.member("observed", x.observed);
  v.member("nodeId", x.node_id, run_text);
  v.others(x.others);
}

void describe(auto& v, of<orchestrator_decided> auto& x) {
  v.member("agentId", x.agent_id, agent_text);
  v.member("decision", x.decision);
  v.others(x.others);
}

void describe(auto& v, of<replay_diverged> auto& x) {
  v.member("sourceRunId", x.source_run_id, run_text);
  v.member("atSequence", x.at_sequence, from_zero);
  v.member("originalEventId", x.original_event_id, run_text);
  v.member("replayEventId", x.replay_event_id, run_text);
  v.member("divergenceKind", x.kind);
  v.member("divergencePoint", x.point);
}

CONVENE_CODEC(run_started);
CONVENE_CODEC(run_completed);
CONVENE_CODEC(run_failed);
CONVENE_CODEC(run_failure);
CONVENE_CODEC(run_cancelled);
CONVENE_CODEC(run_paused);
CONVENE_CODEC(node_started);
CONVENE_CODEC(node_completed);
CONVENE_CODEC(node_failed);
CONVENE_CODEC(node_noted);
CONVENE_CODEC(channel_written);
CONVENE_CODEC(cap_breached);
CONVENE_CODEC(orchestrator_decided);
CONVENE_CODEC(replay_diverged);
CONVENE_CODEC(run_fork);

} // namespace convene::protocol
