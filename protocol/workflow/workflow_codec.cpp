#include <convene/protocol/conversation/turn_schema.hpp>
#include <convene/protocol/documents/described_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/workflow/describe_workflow.hpp>

#include <array>
#include <set>

namespace convene::protocol {

CONVENE_CODEC(workflow_definition);
CONVENE_CODEC(orchestrator_decision);

namespace {

using config_reader = result<node_config> (*)(const json::object&,
                                              std::string_view);

template <class T>
result<node_config>
read_config(const json::object& from, std::string_view pointer) {
  return decode<T>(from, pointer).map([](T made) {
    return node_config{std::move(made)};
  });
}

template <class>
struct config_readers;
template <class... Ts>
struct config_readers<std::variant<Ts...>> {
  static constexpr std::array<config_reader, sizeof...(Ts)> all{
    &read_config<Ts>...};
};

result<void> check_questions(const clarification_config& in,
                             std::string_view pointer) {
  std::set<std::string_view> known;
  for (std::size_t i = 0; i < in.questions.size(); ++i)
    if (!known.insert(in.questions[i].id).second)
      return fail({.code = errc::invalid_document,
                   .message = "two questions have one id",
                   .pointer = std::string{pointer} + "/questions/"
                              + std::to_string(i) + "/id",
                   .rule = "unique_question_id",
                   .value = shorten(in.questions[i].id)});
  return {};
}

result<void> check_turn_schema(const std::optional<json::object>& schema,
                               const std::string& pointer) {
  if (!schema)
    return {};
  auto made = turn_schema::make(*schema);
  if (made)
    return {};
  auto wrong = std::move(made).error();
  wrong.pointer.insert(0, pointer);
  return fail(std::move(wrong));
}

result<void> check_conversation(const conversation_config& in,
                                std::string_view pointer) {
  if (in.mock_auto_resume && in.schema)
    return fail({.code = errc::unsupported,
                 .message = "a conversation that speaks for itself knows no "
                            "schema: leave out schema or mockAutoResume",
                 .pointer = std::string{pointer} + "/schema",
                 .rule = "mock_schema"});
  return check_turn_schema(in.schema, std::string{pointer} + "/schema");
}

result<void> check_interrupt(const interrupt_config& in,
                             std::string_view pointer) {
  const std::string at{pointer};
  const auto data = [&]<class T>(T) -> result<void> {
    return decode<T>(in.data, at + "/data").map([](const T&) {});
  };
  result<void> fits;
  if (in.kind == interrupt_kind::external_event)
    fits = data(external_event_data{});
  else if (in.kind == interrupt_kind::custom)
    fits = data(custom_data{});
  else
    fits = fail({.code = errc::unsupported,
                 .message = "this node asks for an external-event or something "
                            "custom; approvals, clarifications and "
                            "conversations have gates of their own",
                 .pointer = at + "/kind",
                 .rule = "interrupt_kind",
                 .value = std::string{to_word(in.kind)}});
  if (!fits)
    return fits;
  return check_turn_schema(in.resume_schema, at + "/resumeSchema");
}

result<void> check_supervisor(const supervisor_config& in,
                              std::string_view pointer) {
  if (!in.decision)
    return {};
  return read_decision(*in.decision, std::string{pointer} + "/decision")
    .map([](const auto&) {});
}

result<void> check_dispatch(const dispatch_config& in,
                            std::string_view pointer) {
  if (in.model != dispatch_model::node
      || (in.input_mapping.empty() && in.output_mapping.empty()
          && in.per_worker_input_mappings.empty()
          && in.per_worker_output_mappings.empty()))
    return {};
  return fail({.code = errc::invalid_document,
               .message = "workers that are nodes share the run's variables: "
                          "leave out the mappings, or let workerDispatchModel "
                          "be child-run",
               .pointer = std::string{pointer} + "/workerDispatchModel",
               .rule = "dispatch_mapping"});
}

result<void> check_sub_workflow(const sub_workflow_config& in,
                                std::string_view pointer) {
  if (in.wait_for_completion)
    return {};
  return fail({.code = errc::unsupported,
               .message = "a run waits for its child runs: leave out "
                          "waitForCompletion",
               .pointer = std::string{pointer} + "/waitForCompletion",
               .rule = "wait_for_completion"});
}

} // namespace

result<orchestrator_decision> read_decision(const json::value& from,
                                            std::string_view pointer) {
  auto made = decode<orchestrator_decision>(from, pointer);
  if (!made)
    return made;
  const auto lacks = [&](const char* name) {
    return fail({.code = errc::invalid_document,
                 .message = "a decision of this kind has " + std::string{name},
                 .pointer = std::string{pointer} + "/" + name,
                 .rule = "required",
                 .value = std::string{to_word(made->kind)}});
  };
  if (made->kind == decision_kind::next_worker && made->next_worker_ids.empty())
    return lacks("nextWorkerIds");
  if (made->kind == decision_kind::ask_user && !made->prompt)
    return lacks("prompt");
  if (made->prompt.value_or("").size() > decision_prompt_max)
    return fail({.code = errc::limit_reached,
                 .message = "a prompt has at most "
                            + std::to_string(decision_prompt_max) + " bytes",
                 .pointer = std::string{pointer} + "/prompt",
                 .rule = "decision_prompt_max"});
  return made;
}

result<node_config> decode_node_config(node_type kind, const json::object& from,
                                       std::string_view pointer) {
  const auto read
    = config_readers<node_config>::all[static_cast<std::size_t>(kind)];
  auto made = read(from, pointer);
  if (!made)
    return made;
  result<void> fits;
  if (const auto* asks = std::get_if<clarification_config>(&*made))
    fits = check_questions(*asks, pointer);
  if (const auto* talks = std::get_if<conversation_config>(&*made))
    fits = check_conversation(*talks, pointer);
  if (const auto* waits = std::get_if<interrupt_config>(&*made))
    fits = check_interrupt(*waits, pointer);
  if (const auto* decides = std::get_if<supervisor_config>(&*made))
    fits = check_supervisor(*decides, pointer);
  if (const auto* dispatches = std::get_if<dispatch_config>(&*made))
    fits = check_dispatch(*dispatches, pointer);
  if (const auto* calls = std::get_if<sub_workflow_config>(&*made))
    fits = check_sub_workflow(*calls, pointer);
  if (!fits)
    return fail(std::move(fits).error());
  return made;
}

} // namespace convene::protocol
