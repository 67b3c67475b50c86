#pragma once

#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/conversation/ids.hpp>
#include <convene/protocol/conversation/resume.hpp>
#include <convene/protocol/conversation/run_event.hpp>
#include <convene/protocol/documents/describe.hpp>

// The members of each type, for decoders and encoders (codec/description.hpp).
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

CONVENE_DESCRIBE(turn_agent, CAMEL(agent_id), CAMEL(agent_sharing),
                 CAMEL(memory_ref), OTHERS);

CONVENE_DESCRIBE(conversation_turn, CAMEL(message_id, short_id),
                 MEMBER(from, short_id), MEMBER(content), MEMBER(ts, from_zero),
                 MEMBER(role), CAMEL(turn_index, from_zero),
                 MEMBER(to, short_text), CAMEL(group_id, short_text),
                 MEMBER(agent), CAMEL(speaker_id, short_id), OTHERS);

CONVENE_DESCRIBE(conversation_opened, CAMEL(conversation_id, short_id),
                 CAMEL(initial_turn), CAMEL(agent_id), MEMBER(schema),
                 SPARSE(capabilities));

CONVENE_DESCRIBE(conversation_exchanged, CAMEL(conversation_id, short_id),
                 CAMEL(turn_index, from_one), MEMBER(turn));

CONVENE_DESCRIBE(conversation_closed, CAMEL(conversation_id, short_id),
                 CAMEL(turn_index, from_zero), CAMEL(final_turn),
                 MEMBER(outcome));

CONVENE_DESCRIBE(suspend_request, MEMBER(kind), MEMBER(key, short_id),
                 MEMBER(data), CAMEL(resume_schema),
                 CAMEL(timeout_ms, from_zero));

CONVENE_DESCRIBE(start_data, CAMEL(conversation_id, short_id), MEMBER(title),
                 CAMEL(initial_prompt));

CONVENE_DESCRIBE(exchange_data, CAMEL(conversation_id, short_id),
                 MEMBER(prompt), CAMEL(outcome_schema),
                 CAMEL(turn_index, from_zero));

CONVENE_DESCRIBE(close_data, CAMEL(conversation_id, short_id), MEMBER(reason));

CONVENE_DESCRIBE(conversation_data, MEMBER(operation),
                 CAMEL(conversation_id, short_id), CAMEL(agent_id),
                 CAMEL(initial_turn), MEMBER(schema), SPARSE(capabilities),
                 MEMBER(title), MEMBER(prompt), CAMEL(initial_prompt),
                 CAMEL(turn_index, from_zero), MEMBER(reason), OTHERS);

CONVENE_DESCRIBE(resume_body, CAMEL(resume_value));
CONVENE_DESCRIBE(approval_resume, MEMBER(action, not_empty), OTHERS);

CONVENE_DESCRIBE(exchange_resume, v.constant("operation", "exchange"),
                 MEMBER(turn));

CONVENE_DESCRIBE(close_resume, v.constant("operation", "close"), MEMBER(turn),
                 MEMBER(outcome));

CONVENE_DESCRIBE(run_event, CAMEL(event_id, run_text), CAMEL(run_id, run_text),
                 MEMBER(type, run_text), MEMBER(payload),
                 MEMBER(timestamp, date_time), MEMBER(sequence, from_zero),
                 CAMEL(node_id, run_text), CAMEL(causation_id, run_text),
                 CAMEL(schema_version), CAMEL(engine_version), OTHERS);

CONVENE_DESCRIBE(node_suspended, CAMEL(node_id, run_text),
                 CAMEL(interrupt_id, not_empty), MEMBER(key), MEMBER(reason),
                 OTHERS);

CONVENE_DESCRIBE(interrupt_requested, CAMEL(run_id, run_text),
                 CAMEL(node_id, run_text), CAMEL(interrupt_id, not_empty),
                 MEMBER(kind), MEMBER(key, short_id), MEMBER(data),
                 CAMEL(requested_at, date_time), CAMEL(timeout_ms, from_zero),
                 OTHERS);

CONVENE_DESCRIBE(interrupt_resolved, CAMEL(run_id, run_text),
                 CAMEL(node_id, run_text), CAMEL(interrupt_id, not_empty),
                 MEMBER(kind), CAMEL(resume_value),
                 CAMEL(resolved_at, date_time), CAMEL(resolved_by), OTHERS);

CONVENE_DESCRIBE(node_resumed, CAMEL(node_id, run_text), CAMEL(interrupt_id),
                 CAMEL(resume_value), OTHERS);

} // namespace convene::protocol
