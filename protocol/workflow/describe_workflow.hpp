#pragma once

#include <convene/protocol/conversation/describe_conversation.hpp>
#include <convene/protocol/workflow/limits.hpp>
#include <convene/protocol/workflow/node_config.hpp>

// The members of each type, for decoders and encoders (documents/describe.hpp).
namespace convene::protocol {

inline constexpr constraint workflow_id{
  .keyword = "pattern",
  .holds =
    [](std::string_view text) noexcept {
      constexpr std::string_view first = "abcdefghijklmnopqrstuvwxyz";
      constexpr std::string_view all = "abcdefghijklmnopqrstuvwxyz0123456789_-";
      return !text.empty() && text.size() <= run_text_max
             && first.find(text.front()) != first.npos
             && text.find_first_not_of(all) == text.npos;
    },
  .wanted = "1 to 128 of a-z, 0-9, _ and -, with a letter first"};

inline constexpr constraint workflow_time = between(0, workflow_time_max_ms);

void describe(auto& v, of<node_input> auto& x) {
  v.member("type", x.type);
  v.member("value", x.value);
  v.member("expression", x.expression);
  v.member("nodeId", x.node_id);
  v.member("outputKey", x.output_key);
  v.member("variableName", x.variable_name);
  v.member("optional", x.optional);
}

void describe(auto& v, of<node_position> auto& x) {
  v.member("x", x.x);
  v.member("y", x.y);
}

void describe(auto& v, of<node_definition> auto& x) {
  v.member("id", x.id, run_text);
  v.member("typeId", x.type_id, run_text);
  v.member("name", x.name);
  v.member("position", x.position);
  v.member("config", x.config);
  v.member("inputs", x.inputs);
  v.others(x.others);
}

void describe(auto& v, of<edge_definition> auto& x) {
  v.member("id", x.id, run_text);
  v.member("sourceNodeId", x.source_node_id, run_text);
  v.member("targetNodeId", x.target_node_id, run_text);
  v.member("sourceOutput", x.source_output);
  v.member("targetInput", x.target_input);
  v.member("condition", x.condition);
  v.member("label", x.label);
  v.member("triggerRule", x.trigger_rule);
}

void describe(auto& v, of<variable_definition> auto& x) {
  v.member("name", x.name, run_text);
  v.member("type", x.type);
  v.member("required", x.required);
  v.member("defaultValue", x.default_value);
  v.others(x.others);
}

void describe(auto& v, of<channel_definition> auto& x) {
  v.member("reducer", x.reducer);
  v.member("schema", x.schema);
  v.member("default", x.default_value);
  v.member("maxSize", x.max_size, between(1, channel_entries_max));
  v.member("ttlMs", x.ttl_ms, between(1, workflow_time_max_ms));
  v.member("access", x.access);
  v.member("schemaVersion", x.schema_version);
  v.member("compatibleWith", x.compatible_with);
  v.member("sensitive", x.sensitive);
}

void describe(auto& v, of<workflow_settings> auto& x) {
  v.member("timeout", x.timeout, workflow_time);
  v.member("maxRetries", x.max_retries, between(0, workflow_retries_max));
  v.others(x.others);
}

void describe(auto& v, of<workflow_definition> auto& x) {
  v.member("id", x.id, workflow_id);
  v.member("name", x.name);
  v.member("version", x.version);
  v.member("description", x.description);
  v.member("nodes", x.nodes, at_least_one);
  v.member("edges", x.edges);
  v.member("triggers", x.triggers);
  v.member("variables", x.variables);
  v.sparse("channels", x.channels);
  v.member("configurableSchema", x.configurable_schema);
  v.member("metadata", x.metadata);
  v.member("settings", x.settings);
}

void describe(auto& v, of<noop_config> auto& x) {
  v.others(x.others);
}

void describe(auto& v, of<identity_config> auto& x) {
  v.sparse("emitDuplicateMessageId", x.emit_duplicate_message_id);
  v.member("channel", x.channel, run_text);
  v.others(x.others);
}

void describe(auto& v, of<delay_config> auto& x) {
  v.member("ms", x.ms, workflow_time);
  v.others(x.others);
}

void describe(auto& v, of<fail_config> auto& x) {
  v.defaulted("code", x.code, run_text);
  v.defaulted("message", x.message);
  v.others(x.others);
}

void describe(auto& v, of<approval_config> auto& x) {
  v.member("title", x.title);
  v.member("description", x.description);
  v.defaulted("actions", x.actions,
              constraint{.keyword = not_empty.keyword,
                         .holds = not_empty.holds,
                         .wanted = not_empty.wanted,
                         .items_min = 1,
                         .unique = true});
  v.member("timeoutMs", x.timeout_ms, workflow_time);
  v.others(x.others);
}

void describe(auto& v, of<clarification_question> auto& x) {
  v.member("id", x.id, short_id);
  v.member("question", x.question);
  v.member("required", x.required);
  v.others(x.others);
}

void describe(auto& v, of<clarification_config> auto& x) {
  v.member("questions", x.questions,
           constraint{.items_min = 1, .items_max = clarification_answers_max});
  v.member("timeoutMs", x.timeout_ms, workflow_time);
  v.others(x.others);
}

void describe(auto& v, of<conversation_config> auto& x) {
  v.member("title", x.title);
  v.member("prompt", x.prompt);
  v.member("initialPrompt", x.initial_prompt);
  v.member("initialTurn", x.initial_turn);
  v.member("agentId", x.agent_id, short_id);
  v.member("schema", x.schema);
  v.sparse("capabilities", x.capabilities);
  v.member("timeoutMs", x.timeout_ms, workflow_time);
  v.member("channel", x.channel, run_text);
  v.member("lifecycle", x.lifecycle);
  v.sparse("mockAutoResume", x.mock_auto_resume);
  v.sparse("turnCount", x.turn_count, between(0, workflow_turns_max));
  v.others(x.others);
}

void describe(auto& v, of<channel_write_config> auto& x) {
  v.member("channelName", x.channel_name, run_text);
  v.member("reducer", x.reducer);
  v.member("ttlMs", x.ttl_ms, between(1, workflow_time_max_ms));
  v.member("maxSize", x.max_size, between(1, channel_entries_max));
  v.member("value", x.value);
  v.others(x.others);
}

void describe(auto& v, of<external_event_data> auto& x) {
  v.member("eventType", x.event_type, short_id);
  v.defaulted("correlation", x.correlation);
  v.others(x.others);
}

void describe(auto& v, of<custom_data> auto& x) {
  v.member("customKind", x.custom_kind, short_id);
  v.member("payload", x.payload);
  v.others(x.others);
}

void describe(auto& v, of<interrupt_config> auto& x) {
  v.member("kind", x.kind);
  v.member("data", x.data);
  v.member("resumeSchema", x.resume_schema);
  v.member("timeoutMs", x.timeout_ms, workflow_time);
  v.others(x.others);
}

void describe(auto& v, of<session_config> auto& x) {
  v.member("scenario", x.scenario);
  v.member("timeoutMs", x.timeout_ms, workflow_time);
}

inline constexpr constraint agent_text{
  .keyword = "length",
  .holds =
    [](std::string_view text) noexcept {
      return text.size() >= 3
             && count_characters(text) <= conversation_text_max;
    },
  .wanted = "a text of 3 to 256 characters"};

inline constexpr constraint likelihood = between(0, 1);

void describe(auto& v, of<orchestrator_decision> auto& x) {
  v.member("kind", x.kind);
  v.sparse("nextWorkerIds", x.next_worker_ids,
           constraint{.keyword = run_text.keyword,
                      .holds = run_text.holds,
                      .wanted = run_text.wanted,
                      .items_min = 1,
                      .items_max = decision_workers_max,
                      .unique = true});
  v.member("prompt", x.prompt, not_empty);
  v.member("reason", x.reason);
  v.member("confidence", x.confidence, likelihood);
  v.others(x.others);
}

void describe(auto& v, of<supervisor_config> auto& x) {
  v.defaulted("agentId", x.agent_id, agent_text);
  v.member("decision", x.decision);
  v.member("escalationThreshold", x.escalation_threshold, likelihood);
  v.member("iterationCap", x.iteration_cap, from_one);
  v.member("timeoutMs", x.timeout_ms, workflow_time);
  v.others(x.others);
}

void describe(auto& v, of<dispatch_config> auto& x) {
  v.defaulted("askUserRouting", x.routing);
  v.defaulted("workerDispatchModel", x.model);
  v.defaulted("fanOutPolicy", x.fan_out);
  v.member("iterationCap", x.iteration_cap, from_one);
}

} // namespace convene::protocol
