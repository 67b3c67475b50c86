#pragma once

#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/conversation/describe_conversation.hpp>
#include <convene/protocol/workflow/limits.hpp>
#include <convene/protocol/workflow/node_config.hpp>

// The members of each type, for decoders and encoders (codec/description.hpp).
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

CONVENE_DESCRIBE(node_input, MEMBER(type), MEMBER(value), MEMBER(expression),
                 CAMEL(node_id), CAMEL(output_key), CAMEL(variable_name),
                 MEMBER(optional));

CONVENE_DESCRIBE(node_position, MEMBER(x), MEMBER(y));

CONVENE_DESCRIBE(node_definition, MEMBER(id, run_text),
                 CAMEL(type_id, run_text), MEMBER(name), MEMBER(position),
                 MEMBER(config), MEMBER(inputs), OTHERS);

CONVENE_DESCRIBE(edge_definition, MEMBER(id, run_text),
                 CAMEL(source_node_id, run_text),
                 CAMEL(target_node_id, run_text), CAMEL(source_output),
                 CAMEL(target_input), MEMBER(condition), MEMBER(label),
                 CAMEL(trigger_rule));

CONVENE_DESCRIBE(variable_definition, MEMBER(name, run_text), MEMBER(type),
                 MEMBER(required), CAMEL(default_value), OTHERS);

CONVENE_DESCRIBE(channel_definition, MEMBER(reducer), MEMBER(schema),
                 v.member("default", x.default_value),
                 CAMEL(max_size, between(1, channel_entries_max)),
                 CAMEL(ttl_ms, between(1, workflow_time_max_ms)),
                 MEMBER(access), CAMEL(schema_version), CAMEL(compatible_with),
                 MEMBER(sensitive));

CONVENE_DESCRIBE(workflow_settings, MEMBER(timeout, workflow_time),
                 CAMEL(max_retries, between(0, workflow_retries_max)), OTHERS);

CONVENE_DESCRIBE(workflow_definition, MEMBER(id, workflow_id), MEMBER(name),
                 MEMBER(version), MEMBER(description),
                 MEMBER(nodes, at_least_one), MEMBER(edges), MEMBER(triggers),
                 MEMBER(variables), SPARSE(channels),
                 CAMEL(configurable_schema), MEMBER(metadata),
                 MEMBER(settings));

CONVENE_DESCRIBE(noop_config, OTHERS);

CONVENE_DESCRIBE(identity_config, SPARSE_CAMEL(emit_duplicate_message_id),
                 MEMBER(channel, run_text), OTHERS);

CONVENE_DESCRIBE(delay_config, MEMBER(ms, workflow_time), OTHERS);

CONVENE_DESCRIBE(fail_config, DEFAULTED(code, run_text), DEFAULTED(message),
                 OTHERS);

CONVENE_DESCRIBE(approval_config, MEMBER(title), MEMBER(description),
                 DEFAULTED(actions, constraint{.keyword = not_empty.keyword,
                                               .holds = not_empty.holds,
                                               .wanted = not_empty.wanted,
                                               .items_min = 1,
                                               .unique = true}),
                 CAMEL(timeout_ms, workflow_time), OTHERS);

CONVENE_DESCRIBE(clarification_question, MEMBER(id, short_id), MEMBER(question),
                 MEMBER(required), OTHERS);

CONVENE_DESCRIBE(clarification_config,
                 MEMBER(questions,
                        constraint{.items_min = 1,
                                   .items_max = clarification_answers_max}),
                 CAMEL(timeout_ms, workflow_time), OTHERS);

CONVENE_DESCRIBE(conversation_config, MEMBER(title), MEMBER(prompt),
                 CAMEL(initial_prompt), CAMEL(initial_turn),
                 CAMEL(agent_id, short_id), MEMBER(schema),
                 SPARSE(capabilities), CAMEL(timeout_ms, workflow_time),
                 MEMBER(channel, run_text), MEMBER(lifecycle),
                 SPARSE_CAMEL(mock_auto_resume),
                 SPARSE_CAMEL(turn_count, between(0, workflow_turns_max)),
                 OTHERS);

CONVENE_DESCRIBE(channel_write_config, CAMEL(channel_name, run_text),
                 MEMBER(reducer),
                 CAMEL(ttl_ms, between(1, workflow_time_max_ms)),
                 CAMEL(max_size, between(1, channel_entries_max)),
                 MEMBER(value), OTHERS);

CONVENE_DESCRIBE(external_event_data, CAMEL(event_type, short_id),
                 DEFAULTED(correlation), OTHERS);

CONVENE_DESCRIBE(custom_data, CAMEL(custom_kind, short_id), MEMBER(payload),
                 OTHERS);

CONVENE_DESCRIBE(interrupt_config, MEMBER(kind), MEMBER(data),
                 CAMEL(resume_schema), CAMEL(timeout_ms, workflow_time),
                 OTHERS);

CONVENE_DESCRIBE(session_config, MEMBER(scenario),
                 CAMEL(timeout_ms, workflow_time));

inline constexpr constraint agent_text{
  .keyword = "length",
  .holds =
    [](std::string_view text) noexcept {
      return text.size() >= 3
             && count_characters(text) <= conversation_text_max;
    },
  .wanted = "a text of 3 to 256 characters"};

inline constexpr constraint likelihood = between(0, 1);

CONVENE_DESCRIBE(orchestrator_decision, MEMBER(kind),
                 SPARSE_CAMEL(next_worker_ids,
                              constraint{.keyword = run_text.keyword,
                                         .holds = run_text.holds,
                                         .wanted = run_text.wanted,
                                         .items_min = 1,
                                         .items_max = decision_workers_max,
                                         .unique = true}),
                 MEMBER(prompt, not_empty), MEMBER(reason),
                 MEMBER(confidence, likelihood), OTHERS);

CONVENE_DESCRIBE(supervisor_config, DEFAULTED_CAMEL(agent_id, agent_text),
                 MEMBER(decision), CAMEL(escalation_threshold, likelihood),
                 CAMEL(iteration_cap, from_one),
                 CAMEL(timeout_ms, workflow_time), OTHERS);

CONVENE_DESCRIBE(dispatch_config, v.defaulted("askUserRouting", x.routing),
                 v.member("workerDispatchModel", x.model),
                 v.defaulted("fanOutPolicy", x.fan_out),
                 CAMEL(iteration_cap, from_one), SPARSE_CAMEL(input_mapping),
                 SPARSE_CAMEL(output_mapping),
                 SPARSE_CAMEL(per_worker_input_mappings),
                 SPARSE_CAMEL(per_worker_output_mappings));

CONVENE_DESCRIBE(sub_workflow_config, CAMEL(workflow_id, workflow_id),
                 DEFAULTED_CAMEL(wait_for_completion),
                 DEFAULTED_CAMEL(on_child_failure), SPARSE_CAMEL(input_mapping),
                 SPARSE_CAMEL(output_mapping),
                 DEFAULTED_CAMEL(propagate_cancellation), OTHERS);

} // namespace convene::protocol
