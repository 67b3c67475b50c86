#include <convene/protocol/conversation/ids.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/session/workflow/question.hpp>
#include <convene/session/workflow/recorder.hpp>

#include <algorithm>

namespace convene::session {
namespace {

using namespace protocol;
using event = workflow_event_type;
using status = run_node_status;

/// A turn of a conversation that speaks for itself: nothing in it comes from a
/// clock, and nothing but its id from the run.
conversation_turn own_turn(const std::string& conversation_id,
                           std::int64_t index, std::string speaker,
                           turn_role role, json::value content) {
  conversation_turn made{.message_id = message_id(conversation_id, index, role),
                         .from = std::move(speaker),
                         .content = {std::move(content)},
                         .ts = index,
                         .role = role,
                         .turn_index = index};
  if (role == turn_role::agent) {
    made.agent = turn_agent{.agent_id = made.from};
    made.speaker_id = made.from;
  }
  return made;
}

any_value prompt_of(const conversation_config& config) {
  if (config.initial_prompt)
    return *config.initial_prompt;
  return config.prompt.value_or(any_value{});
}

} // namespace

bool run_machine::ask(recorder& to, std::size_t node, question what) {
  const auto& of = state_.nodes[node];
  const auto& id = workflow_->id_of(node);
  const auto kind = what.kind;
  if (!of.interrupt || (of.is_resumed && of.interrupt->kind != kind)) {
    auto key = conversation_id(ids_of(), id, of.attempts - 1);
    if (!key) {
      fail_node(to, node, key.error().rule, key.error().message, true);
      return true;
    }
    if (of.interrupt) // a second question of this attempt
      key->append(":").append(to_word(kind));
    node_suspended made{.node_id = id,
                        .interrupt_id = *key,
                        .key = *key,
                        .others = {{"kind", to_word(kind)}}};
    if (kind == interrupt_kind::low_confidence)
      made.reason = to_word(kind);
    to.record(event::node_suspended, made, node, what.cause);
    return true;
  }
  const auto& interrupt = *of.interrupt;
  if (interrupt.requested_by.empty()) {
    interrupt_requested request{.run_id = run_id_,
                                .node_id = id,
                                .interrupt_id = interrupt.id,
                                .kind = kind,
                                .key = interrupt.key,
                                .data = std::move(what.data),
                                .requested_at = format_timestamp(to.time())};
    if (what.resume_schema)
      request.others["resumeSchema"] = *what.resume_schema;
    if (what.timeout_ms.value_or(0) > 0)
      request.timeout_ms = what.timeout_ms;
    to.record(event::interrupt_requested, request, node);
    return true;
  }
  if (interrupt.answer) {
    to.record(event::node_resumed,
              node_resumed{.node_id = id,
                           .interrupt_id = interrupt.id,
                           .resume_value = interrupt.answer},
              node);
    return true;
  }
  if (!is_due(node, to.time()))
    return false;
  fail_node(to, node, "interrupt_timeout", "nobody answered in time");
  return true;
}

bool run_machine::work(recorder& to, std::size_t node,
                       const approval_config& config) {
  const auto& of = state_.nodes[node];
  if (!of.is_resumed) {
    json::object data = config.others;
    if (config.title)
      data["title"] = *config.title;
    if (config.description)
      data["description"] = *config.description;
    json::array actions;
    for (const auto& each : config.actions)
      actions.emplace_back(each);
    data["actions"] = std::move(actions);
    return ask(to, node,
               {interrupt_kind::approval, std::move(data), config.timeout_ms});
  }
  const auto& answer = of.interrupt->answer->held.get_object();
  if (text_of(answer, "action") == "reject")
    fail_node(to, node, "approval_rejected", "the approval was rejected", true);
  else
    complete(to, node, answer);
  return true;
}

bool run_machine::work(recorder& to, std::size_t node,
                       const clarification_config& config) {
  const auto& of = state_.nodes[node];
  if (of.is_resumed) {
    complete(to, node, of.interrupt->answer->held.get_object());
    return true;
  }
  json::array questions;
  for (const auto& each : config.questions) {
    json::object question{{"id", each.id}, {"question", each.question}};
    if (each.required)
      question["required"] = *each.required;
    for (const auto& [name, value] : each.others)
      question.emplace(name, value);
    questions.push_back(std::move(question));
  }
  json::object data = config.others;
  data["questions"] = std::move(questions);
  return ask(to, node,
             {interrupt_kind::clarification, std::move(data),
              config.timeout_ms});
}

bool run_machine::work(recorder& to, std::size_t node,
                       const interrupt_config& config) {
  const auto& of = state_.nodes[node];
  if (!of.is_resumed)
    return ask(to, node,
               {config.kind, config.data, config.timeout_ms,
                config.resume_schema});
  complete(to, node, {{"resumeValue", of.interrupt->answer->held}});
  return true;
}

bool run_machine::work(recorder& to, std::size_t node,
                       const conversation_config& config) {
  return converse(to, node, config);
}

bool run_machine::converse(recorder& to, std::size_t node,
                           const conversation_config& config) {
  if (write_turns(to, node))
    return true;
  const auto& of = state_.nodes[node];
  const auto* const talk = talk_of(node);
  if (talk == nullptr)
    return open(to, node, config);
  const auto& said = talk->state();
  switch (said.status) {
    case conversation_status::open:
      return config.mock_auto_resume && speak(to, node, config);
    case conversation_status::closed:
      if (!of.is_resumed)
        return false;
      complete(to, node, outputs_of(node, said));
      return true;
    case conversation_status::timed_out:
      fail_node(to, node, "interrupt_timeout",
                "the conversation was not closed in time");
      return true;
    default:
      fail_node(to, node, "conversation_cancelled",
                "the conversation was cancelled", true);
      return true;
  }
}

json::object run_machine::outputs_of(std::size_t node,
                                     const conversation_state& said) const {
  json::object made{{"outcome", said.outcome ? said.outcome->held : nullptr}};
  if (workflow_->nodes[node].kind != node_type::dispatch)
    return made;
  // What was answered is the last turn of who was asked.
  const auto last = std::find_if(said.turns.rbegin(), said.turns.rend(),
                                 [](const recorded_turn& each) {
                                   return each.turn.role == turn_role::user;
                                 });
  made["kind"] = to_word(decision_kind::ask_user);
  made["answer"] = last == said.turns.rend() ? nullptr
                                             : last->turn.content.held;
  return made;
}

const conversation* run_machine::talk_of(std::size_t node) const {
  const auto& interrupt = state_.nodes[node].interrupt;
  const auto* const latest = conversations_.find(workflow_->id_of(node));
  return interrupt && latest != nullptr && latest->state().key == interrupt->key
           ? latest
           : nullptr;
}

bool run_machine::open(recorder& to, std::size_t node,
                       const conversation_config& config) {
  const auto& of = state_.nodes[node];
  const auto& id = workflow_->id_of(node);
  const auto made_id = conversation_id(ids_of(), id, of.attempts - 1);
  open_conversation input{.node_id = id,
                          .attempt = of.attempts - 1,
                          .interrupt_count = of.attempts - 1,
                          .agent_id = config.agent_id,
                          .title = config.title,
                          .initial_turn = config.initial_turn,
                          .prompt = prompt_of(config),
                          .schema = config.schema,
                          .capabilities = config.capabilities,
                          .timeout_ms = config.timeout_ms.value_or(0),
                          .causation_id = of.latest_event};
  if (const auto* decided = decision_of(node))
    input.causation_id = decided->event_id;
  if (made_id) {
    input.conversation_id = *made_id;
    input.key = *made_id;
  }
  if (config.mock_auto_resume && made_id && !input.initial_turn)
    input.initial_turn = own_turn(*made_id, 0,
                                  config.agent_id.value_or("convene"),
                                  turn_role::agent, input.prompt.held);
  auto effects = conversations_.open(input, to.time(), state_.next_sequence);
  const auto refusal = effects.refusal;
  to.keep(std::move(effects));
  if (refusal && !to.has_failed())
    fail_node(to, node, refusal->what.rule, refusal->what.message, true);
  return true;
}

bool run_machine::speak(recorder& to, std::size_t node,
                        const conversation_config& config) {
  const auto& said = talk_of(node)->state();
  const auto index = static_cast<std::int64_t>(said.turns.size());
  const bool is_last = index > config.turn_count;
  auto turn = own_turn(said.conversation_id, index, "user", turn_role::user,
                       json::object{{"turn", index}});
  const conversation_input input
    = is_last ? conversation_input{close_conversation{
        {std::move(turn), any_value{json::object{{"exchanges", index - 1}}}},
        {}}}
              : conversation_input{exchange_resume{std::move(turn)}};
  auto effects = conversations_.feed(workflow_->id_of(node), input, to.time(),
                                     state_.next_sequence);
  const auto refusal = effects.refusal;
  to.keep(std::move(effects));
  if (refusal && !to.has_failed())
    fail_node(to, node, refusal->what.rule, refusal->what.message, true);
  return true;
}

std::vector<std::string>
run_machine::message_channels(const std::optional<std::string>& named) const {
  if (named)
    return {*named};
  std::vector<std::string> all;
  for (const auto& [name, channel] : workflow_->channels)
    if (channel.reducer == channel_reducer::message)
      all.push_back(name);
  return all;
}

bool run_machine::write_turns(recorder& to, std::size_t node) {
  const auto* const talk = talk_of(node);
  if (talk == nullptr || to.has_failed())
    return false;
  const auto* const config
    = std::get_if<conversation_config>(&workflow_->nodes[node].config);
  const auto channels = message_channels(config ? config->channel
                                                : std::nullopt);
  const auto& turns = talk->state().turns;
  const auto done = state_.nodes[node].writes;
  if (done >= turns.size() * channels.size())
    return false;
  const auto& turn = turns[done / channels.size()];
  to.record(event::channel_written,
            channel_written{.channel = channels[done % channels.size()],
                            .value = {encode(turn.turn)},
                            .reducer = channel_reducer::message,
                            .written_at = format_timestamp(to.time()),
                            .node_id = workflow_->id_of(node)},
            node, turn.event_id);
  return true;
}

} // namespace convene::session
