#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/session/workflow/question.hpp>
#include <convene/session/workflow/recorder.hpp>
#include <convene/session/workflow/user_question.hpp>
#include <convene/session/workflow/workers.hpp>

#include <algorithm>

namespace convene::session {
namespace {

using namespace protocol;
using event = workflow_event_type;
using status = run_node_status;

/// A decision that is less sure is put before a person, unless run or node say
/// otherwise.
constexpr double escalation_threshold = 0.7;

std::optional<double> likelihood_of(const json::value* given) {
  if (given == nullptr || !given->is_number())
    return std::nullopt;
  const auto number = given->to_number<double>();
  if (!(number >= 0 && number <= 1))
    return std::nullopt;
  return number;
}

/// What a decision looks like, for who is asked for one.
json::object decision_schema() {
  const json::object text{{"type", "string"}};
  return {
    {"type", "object"},
    {"required", {"kind"}},
    {"properties",
     {{"kind", {{"enum", {"next-worker", "ask-user", "terminate"}}}},
      {"nextWorkerIds", {{"type", "array"}, {"items", text}}},
      {"prompt", text},
      {"reason", text},
      {"confidence", {{"type", "number"}, {"minimum", 0}, {"maximum", 1}}}}}};
}

} // namespace

const run_decision* run_machine::decision_of(std::size_t node) const {
  const auto& of = state_.nodes[node].decision;
  return of && workflow_->nodes[node].kind == node_type::dispatch
           ? &state_.decisions[*of]
           : nullptr;
}

double run_machine::threshold_of(const supervisor_config& config) const {
  const auto* const given
    = state_.started->configurable.if_contains("escalationThreshold");
  if (const auto number = likelihood_of(given))
    return *number;
  return config.escalation_threshold ? config.escalation_threshold->value()
                                     : escalation_threshold;
}

bool run_machine::is_late(std::size_t node, const std::string& port) const {
  const auto& asked = state_.nodes[node].interrupt;
  const auto& all = workflow_->definition.nodes[node].inputs;
  const auto input = all.find(port);
  return asked && input != all.end()
         && input->second.type == input_source::connection
         && state_.nodes[*workflow_->find(*input->second.node_id)].ended_by
              > asked->sequence;
}

result<std::optional<orchestrator_decision>>
run_machine::decision_given(std::size_t node,
                            const supervisor_config& config) const {
  const auto read = [](const json::value& from, std::string_view pointer) {
    return read_decision(from, pointer).map([](orchestrator_decision made) {
      return std::optional{std::move(made)};
    });
  };
  const auto& of = state_.nodes[node];
  if (of.earlier_answer)
    return read(of.earlier_answer->held, "/resumeValue");
  // Once it is asked for outside, only an answer counts.
  if (of.interrupt && of.interrupt->kind == interrupt_kind::custom) {
    if (!of.is_resumed)
      return std::nullopt;
    return read(of.interrupt->answer->held, "/resumeValue");
  }
  const auto inputs = inputs_of(node);
  if (!inputs)
    return fail(inputs.error());
  if (const auto* given = inputs->if_contains("decision");
      given != nullptr && !is_late(node, "decision"))
    return read(*given, "/inputs/decision");
  if (config.decision)
    return read(*config.decision, "/config/decision");
  return std::nullopt;
}

bool run_machine::work(recorder& to, std::size_t node,
                       const supervisor_config& config) {
  if (const auto& decided = state_.nodes[node].decision) {
    const auto& made = state_.decisions[*decided];
    complete(to, node,
             {{"agentId", made.agent_id}, {"decision", encode(made.what)}});
    return true;
  }
  auto given = decision_given(node, config);
  if (!given) {
    const auto& why = given.error();
    const bool is_missing = why.rule == "input_missing";
    fail_node(to, node, is_missing ? why.rule : "decision_invalid",
              why.message + (is_missing ? "" : " (at " + why.pointer + ")"),
              true);
    return true;
  }
  if (!*given)
    return ask_for_decision(to, node, config);
  return ratify(to, node, config, **std::move(given));
}

bool run_machine::ask_for_decision(recorder& to, std::size_t node,
                                   const supervisor_config& config) {
  json::array workers;
  for (std::size_t i = 0; i < workflow_->nodes.size(); ++i)
    if (is_worker(*workflow_, i))
      workers.emplace_back(workflow_->id_of(i));
  return ask(to, node,
             {.kind = interrupt_kind::custom,
              .data = {{"customKind", "orchestrator-decision"},
                       {"payload",
                        {{"agentId", config.agent_id},
                         {"workers", std::move(workers)}}}},
              .timeout_ms = config.timeout_ms,
              .resume_schema = decision_schema()});
}

bool run_machine::ratify(recorder& to, std::size_t node,
                         const supervisor_config& config,
                         orchestrator_decision what) {
  const auto& of = state_.nodes[node];
  const auto threshold = threshold_of(config);
  if (!what.confidence || what.confidence->value() >= threshold) {
    decide(to, node, config, std::move(what));
    return true;
  }
  if (!of.is_resumed || of.interrupt->kind != interrupt_kind::low_confidence)
    return ask(to, node,
               {.kind = interrupt_kind::low_confidence,
                .data = {{"agentId", config.agent_id},
                         {"threshold", threshold},
                         {"observed", what.confidence->held},
                         {"decision", encode(what)}},
                .timeout_ms = config.timeout_ms});
  const auto& answer = of.interrupt->answer->held.get_object();
  if (!answer.contains("action")) {
    auto made = read_decision(answer, "/resumeValue");
    if (made)
      decide(to, node, config, *std::move(made));
    else // its log was changed
      fail_node(to, node, "decision_invalid", made.error().message, true);
    return true;
  }
  if (text_of(answer, "action") == "accept")
    decide(to, node, config, std::move(what));
  else
    fail_node(to, node, "decision_rejected", "the decision was rejected", true);
  return true;
}

void run_machine::decide(recorder& to, std::size_t node,
                         const supervisor_config& config,
                         orchestrator_decision what) {
  const auto cap = config.iteration_cap.value_or(0);
  if (cap > 0 && static_cast<std::int64_t>(state_.decisions.size()) >= cap)
    return breach(to, node, "orchestrator-iterations", cap,
                  {.code = "iteration_cap_exceeded",
                   .message = "the orchestrator would decide more often than "
                              "its iterationCap says"});
  to.record(event::orchestrator_decided,
            orchestrator_decided{.agent_id = config.agent_id,
                                 .decision = std::move(what)},
            node);
}

bool run_machine::work(recorder& to, std::size_t node,
                       const dispatch_config& config) {
  if (state_.nodes[node].child)
    return wait_for_child(to, node);
  const auto* const decided = decision_of(node);
  if (decided == nullptr) {
    fail_node(to, node, "no_pending_decision",
              "no orchestrator has decided before", true);
    return true;
  }
  switch (decided->what.kind) {
    case decision_kind::next_worker:
      choose_workers(to, node, config, *decided);
      return true;
    case decision_kind::ask_user:
      return ask_user(to, node, config, *decided);
    default:
      json::object made{{"kind", to_word(decided->what.kind)}};
      if (decided->what.reason)
        made["reason"] = *decided->what.reason;
      complete(to, node, std::move(made), decided->event_id);
      return true;
  }
}

void run_machine::choose_workers(recorder& to, std::size_t node,
                                 const dispatch_config& config,
                                 const run_decision& of) {
  const auto& chosen = of.what.next_worker_ids;
  if (chosen.size() > 1 && config.fan_out == fan_out_policy::reject)
    return fail_node(to, node, "fan_out_unsupported",
                     "the dispatch takes one worker at a time, and "
                       + std::to_string(chosen.size()) + " were chosen",
                     true);
  if (runs_children(*workflow_, node))
    return start_child_run(to, node);
  const auto& targets = workflow_->nodes[node].targets;
  for (const auto& id : chosen)
    if (const auto place = workflow_->find(id);
        !place || std::ranges::count(targets, *place) == 0
        || !is_worker(*workflow_, *place))
      return fail_node(to, node, "worker_unknown",
                       "no worker of the dispatch has the id " + quote(id),
                       true);
  complete(to, node,
           {{"kind", to_word(of.what.kind)},
            {"nextWorkerIds", json::array(chosen.begin(), chosen.end())}},
           of.event_id);
}

bool run_machine::ask_user(recorder& to, std::size_t node,
                           const dispatch_config& config,
                           const run_decision& of) {
  const auto& asked = state_.nodes[node].interrupt;
  // What the run began with counts, whatever its host can by now.
  const bool converses
    = asked ? is_conversation(asked->kind)
            : config.routing == ask_user_routing::conversation
                || (config.routing == ask_user_routing::automatic
                    && state_.started->conversation_primitive.value_or(
                      options_.has_conversations));
  const auto& prompt = *of.what.prompt;
  if (converses) {
    conversation_config talk;
    talk.agent_id = of.agent_id;
    talk.initial_prompt = any_value{json::value(prompt)};
    return converse(to, node, talk);
  }
  if (state_.nodes[node].is_resumed) {
    const auto& answers = object_of(asked->answer->held.get_object(),
                                    "answers");
    const auto* const answer = answers.if_contains(user_question_id);
    complete(to, node,
             {{"kind", to_word(of.what.kind)},
              {"answer", answer ? *answer : json::value()}});
    return true;
  }
  return ask(to, node,
             {.kind = interrupt_kind::clarification,
              .data = {{"questions",
                        {{{"id", user_question_id}, {"question", prompt}}}}},
              .cause = of.event_id});
}

const run_decision* run_machine::find_termination() const {
  for (std::size_t i = 0; i < state_.nodes.size(); ++i)
    if (state_.nodes[i].status == status::completed)
      if (const auto* decided = decision_of(i);
          decided != nullptr && decided->what.kind == decision_kind::terminate)
        return decided;
  return nullptr;
}

void run_machine::terminate(recorder& to, const run_decision& by) {
  const std::string why{to_word(by.what.kind)};
  stop_all(to, why);
  for (std::size_t i = 0; i < state_.nodes.size() && !to.has_failed(); ++i)
    if (state_.nodes[i].status == status::pending)
      to.record(event::node_skipped,
                node_noted{.node_id = workflow_->id_of(i), .reason = why}, i,
                by.event_id);
  to.record(event::run_completed,
            run_completed{.reason = by.what.reason,
                          .duration_ms = to.time() - state_.started_at},
            {}, by.event_id);
}

} // namespace convene::session
