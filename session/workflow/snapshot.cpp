#include <convene/protocol/documents/document_codec.hpp>
#include <convene/session/workflow/snapshot.hpp>

namespace convene::session {
namespace {

using namespace protocol;

json::object node_json(const run_node& of) {
  json::object made{{"status", to_word(of.status)}, {"attempts", of.attempts}};
  if (of.attempts > 0)
    made["startedAt"] = format_timestamp(of.started_at);
  if (of.status >= run_node_status::completed)
    made["completedAt"] = format_timestamp(of.ended_at);
  if (of.session_id)
    made["sessionId"] = *of.session_id;
  if (of.outputs)
    made["outputs"] = *of.outputs;
  if (of.error)
    made["error"] = encode(*of.error);
  return made;
}

/// The code, the message and details: the snapshot's error is closed.
json::object error_json(const run_failure& of) {
  json::object made{{"code", of.code}, {"message", of.message}};
  if (of.details)
    made["details"] = *of.details;
  return made;
}

json::object orchestrator_json(const run_machine& run) {
  const auto& decisions = run.state().decisions;
  json::object made{{"agentId", decisions.front().agent_id},
                    {"decisionsTaken", decisions.size()}};
  for (const auto& node : run.workflow().nodes)
    if (const auto* decides = std::get_if<supervisor_config>(&node.config);
        decides != nullptr && decides->iteration_cap)
      made["iterationCap"] = *decides->iteration_cap;
  return made;
}

/// What nodes wait for that one can answer; a replay takes no answer.
json::array interrupts_json(const run_machine& run) {
  json::array all;
  const auto& nodes = run.state().nodes;
  for (std::size_t i = 0; i < nodes.size() && !run.is_replay(); ++i) {
    const auto& node = nodes[i];
    if (node.status != run_node_status::suspended
        || node.interrupt->requested_by.empty())
      continue;
    json::object made{{"nodeId", run.workflow().id_of(i)},
                      {"interruptId", node.interrupt->id},
                      {"kind", to_word(node.interrupt->kind)},
                      {"key", node.interrupt->key}};
    if (node.deadline)
      made["deadline"] = format_timestamp(*node.deadline);
    all.push_back(std::move(made));
  }
  return all;
}

} // namespace

json::object snapshot_of(const run_machine& run) {
  const auto& state = run.state();
  const auto& workflow = run.workflow();
  json::object made{{"runId", run.run_id()},
                    {"workflowId", workflow.definition.id},
                    {"status", to_word(run.status())}};
  if (const auto node = run.current_node())
    made["currentNodeId"] = workflow.id_of(*node);
  if (auto open = interrupts_json(run); !open.empty())
    made["interrupts"] = std::move(open);
  if (state.started)
    made["startedAt"] = format_timestamp(state.started_at);
  if (state.end)
    made["completedAt"] = format_timestamp(state.ended_at);
  json::object nodes;
  for (std::size_t i = 0; i < state.nodes.size(); ++i)
    nodes[workflow.id_of(i)] = node_json(state.nodes[i]);
  made["nodeStates"] = std::move(nodes);
  json::object channels;
  for (const auto& [name, channel] : workflow.channels)
    channels[name] = state.channels.value_of(channel, name);
  auto variables = state.variables;
  for (const auto& node : workflow.nodes)
    if (const auto* writes = std::get_if<channel_write_config>(&node.config))
      variables[writes->channel_name] = channels[writes->channel_name];
  made["variables"] = std::move(variables);
  made["channels"] = std::move(channels);
  json::array children;
  for (const auto& each : state.children)
    children.push_back(
      {{"runId", each.run_id},
       {"workflowId", each.workflow_id},
       {"nodeId", workflow.id_of(each.node)},
       {"status", to_word(each.end.value_or(run_status::running))}});
  if (!children.empty())
    made["childRuns"] = std::move(children);
  if (!state.decisions.empty())
    made["runOrchestrator"] = orchestrator_json(run);
  if (state.error)
    made["error"] = error_json(*state.error);
  if (!state.started)
    return made;
  const auto& started = *state.started;
  if (!started.tags.empty())
    made["tags"] = json::array(started.tags.begin(), started.tags.end());
  if (!started.metadata.empty())
    made["metadata"] = started.metadata;
  if (!started.configurable.empty())
    made["configurable"] = started.configurable;
  if (started.parent) {
    made["parentRunId"] = started.parent->run_id;
    made["parentNodeId"] = started.parent->node_id;
    made["childDepth"] = started.parent->depth;
  }
  if (started.forked_from)
    made["forkedFrom"] = encode(*started.forked_from);
  return made;
}

} // namespace convene::session
