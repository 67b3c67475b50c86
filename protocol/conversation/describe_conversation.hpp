#pragma once

#include <convene/protocol/conversation/ids.hpp>
#include <convene/protocol/conversation/resume.hpp>
#include <convene/protocol/conversation/run_event.hpp>
#include <convene/protocol/documents/describe.hpp>

// The members of each type, for decoders and encoders (documents/describe.hpp).
namespace convene::protocol {

inline constexpr constraint short_text{
  .keyword = "maxLength",
  .holds =
    [](std::string_view text) noexcept {
      return count_characters(text) <= conversation_text_max;
    },
  .wanted = "a text of at most 256 characters"};

inline constexpr constraint short_id{.keyword = "length",
                                     .holds =
                                       [](std::string_view text) noexcept {
                                         return !text.empty()
                                                && count_characters(text)
                                                     <= conversation_text_max;
                                       },
                                     .wanted = "a text of 1 to 256 characters"};

inline constexpr constraint run_text{.keyword = "length",
                                     .holds =
                                       [](std::string_view text) noexcept {
                                         return !text.empty()
                                                && count_characters(text)
                                                     <= run_text_max;
                                       },
                                     .wanted = "a text of 1 to 128 characters"};

inline constexpr constraint from_one{.minimum = 1};

void describe(auto& v, of<turn_agent> auto& x) {
  v.member("agentId", x.agent_id);
  v.member("agentSharing", x.agent_sharing);
  v.member("memoryRef", x.memory_ref);
  v.others(x.others);
}

void describe(auto& v, of<conversation_turn> auto& x) {
  v.member("messageId", x.message_id, short_id);
  v.member("from", x.from, short_id);
  v.member("content", x.content);
  v.member("ts", x.ts, from_zero);
  v.member("role", x.role);
  v.member("turnIndex", x.turn_index, from_zero);
  v.member("to", x.to, short_text);
  v.member("groupId", x.group_id, short_text);
  v.member("agent", x.agent);
  v.member("speakerId", x.speaker_id, short_id);
  v.others(x.others);
}

void describe(auto& v, of<conversation_opened> auto& x) {
  v.member("conversationId", x.conversation_id, short_id);
  v.member("initialTurn", x.initial_turn);
  v.member("agentId", x.agent_id);
  v.member("schema", x.schema);
  v.sparse("capabilities", x.capabilities);
}

void describe(auto& v, of<conversation_exchanged> auto& x) {
  v.member("conversationId", x.conversation_id, short_id);
  v.member("turnIndex", x.turn_index, from_one);
  v.member("turn", x.turn);
}

void describe(auto& v, of<conversation_closed> auto& x) {
  v.member("conversationId", x.conversation_id, short_id);
  v.member("turnIndex", x.turn_index, from_zero);
  v.member("finalTurn", x.final_turn);
  v.member("outcome", x.outcome);
}

void describe(auto& v, of<suspend_request> auto& x) {
  v.member("kind", x.kind);
  v.member("key", x.key, short_id);
  v.member("data", x.data);
  v.member("resumeSchema", x.resume_schema);
  v.member("timeoutMs", x.timeout_ms, from_zero);
}

void describe(auto& v, of<start_data> auto& x) {
  v.member("conversationId", x.conversation_id, short_id);
  v.member("title", x.title);
  v.member("initialPrompt", x.initial_prompt);
}

void describe(auto& v, of<exchange_data> auto& x) {
  v.member("conversationId", x.conversation_id, short_id);
  v.member("prompt", x.prompt);
  v.member("outcomeSchema", x.outcome_schema);
  v.member("turnIndex", x.turn_index, from_zero);
}

void describe(auto& v, of<close_data> auto& x) {
  v.member("conversationId", x.conversation_id, short_id);
  v.member("reason", x.reason);
}

void describe(auto& v, of<conversation_data> auto& x) {
  v.member("operation", x.operation);
  v.member("conversationId", x.conversation_id, short_id);
  v.member("agentId", x.agent_id);
  v.member("initialTurn", x.initial_turn);
  v.member("schema", x.schema);
  v.sparse("capabilities", x.capabilities);
  v.member("title", x.title);
  v.member("prompt", x.prompt);
  v.member("initialPrompt", x.initial_prompt);
  v.member("turnIndex", x.turn_index, from_zero);
  v.member("reason", x.reason);
  v.others(x.others);
}

void describe(auto& v, of<resume_body> auto& x) {
  v.member("resumeValue", x.resume_value);
}

void describe(auto& v, of<approval_resume> auto& x) {
  v.member("action", x.action, not_empty);
  v.others(x.others);
}

void describe(auto& v, of<exchange_resume> auto& x) {
  v.constant("operation", "exchange");
  v.member("turn", x.turn);
}

void describe(auto& v, of<close_resume> auto& x) {
  v.constant("operation", "close");
  v.member("turn", x.turn);
  v.member("outcome", x.outcome);
}

void describe(auto& v, of<run_event> auto& x) {
  v.member("eventId", x.event_id, run_text);
  v.member("runId", x.run_id, run_text);
  v.member("type", x.type, run_text);
  v.member("payload", x.payload);
  v.member("timestamp", x.timestamp, date_time);
  v.member("sequence", x.sequence, from_zero);
  v.member("nodeId", x.node_id, run_text);
  v.member("causationId", x.causation_id, run_text);
  v.member("schemaVersion", x.schema_version);
  v.member("engineVersion", x.engine_version);
  v.others(x.others);
}

void describe(auto& v, of<node_suspended> auto& x) {
  v.member("nodeId", x.node_id, run_text);
  v.member("interruptId", x.interrupt_id, not_empty);
  v.member("key", x.key);
  v.member("reason", x.reason);
  v.others(x.others);
}

void describe(auto& v, of<interrupt_requested> auto& x) {
  v.member("runId", x.run_id, run_text);
  v.member("nodeId", x.node_id, run_text);
  v.member("interruptId", x.interrupt_id, not_empty);
  v.member("kind", x.kind);
  v.member("key", x.key, short_id);
  v.member("data", x.data);
  v.member("requestedAt", x.requested_at, date_time);
  v.member("timeoutMs", x.timeout_ms, from_zero);
  v.others(x.others);
}

void describe(auto& v, of<interrupt_resolved> auto& x) {
  v.member("runId", x.run_id, run_text);
  v.member("nodeId", x.node_id, run_text);
  v.member("interruptId", x.interrupt_id, not_empty);
  v.member("kind", x.kind);
  v.member("resumeValue", x.resume_value);
  v.member("resolvedAt", x.resolved_at, date_time);
  v.member("resolvedBy", x.resolved_by);
  v.others(x.others);
}

void describe(auto& v, of<node_resumed> auto& x) {
  v.member("nodeId", x.node_id, run_text);
  v.member("interruptId", x.interrupt_id);
  v.member("resumeValue", x.resume_value);
  v.others(x.others);
}

} // namespace convene::protocol
