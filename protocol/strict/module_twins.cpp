#include <boost/json/array.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/parts.hpp>
#include <convene/protocol/strict/module_twins.hpp>
#include <convene/protocol/strict/twin.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace convene::protocol {
namespace {

namespace json = boost::json;

using twins = std::vector<strict_form>;

/// An execution of a tool or a model, in the words of the module Extension.
struct action_words {
  std::string_view executor_kind;
  std::string_view started;
  std::string_view ended;
};

constexpr std::array action_table{
  action_words{"llm", "llm_call_started", "llm_call_completed"},
  action_words{"tool", "tool_execution_started", "tool_execution_completed"},
};

/// The same execution as the action's event; the call of a service is told of
/// once, when it begins.
void add_action(const json::object& event, bool begins, twins& to) {
  const auto& payload = object_of(event, "payload");
  if (begins && text_of(payload, "kind") == "http")
    to.push_back(
      {"mplp-event-core",
       make_twin(event, "external_api_call", "external_integration", {},
                 {{"name", text_of(payload, "name")},
                  {"execution_id", text_of(event, "execution_id")}})});
  for (const auto& how : action_table) {
    if (how.executor_kind != text_of(event, "executor_kind"))
      continue;
    json::object members;
    for (const auto* name :
         {"execution_id", "executor_kind", "executor_role", "status"})
      if (const auto* member = event.if_contains(name))
        members.emplace(name, *member);
    to.push_back({"mplp-runtime-execution-event",
                  make_twin(event, begins ? how.started : how.ended,
                            "runtime_execution", members)});
  }
}

/// A move between statuses that is no stage.
struct move {
  std::string_view type;
  std::string_view executor_kind;
  std::string_view resource;
  std::string id;
  std::string_view from;
  std::string_view to;
};

strict_form moved(const json::object& event, const move& how) {
  const auto execution = "execution\n" + std::string{text_of(event, "event_id")}
                         + '\n' + std::string{how.type} + '\n' + how.id;
  return {"mplp-runtime-execution-event",
          make_twin(event, how.type, "runtime_execution",
                    {{"execution_id", to_string(hashed_uuid(execution))},
                     {"executor_kind", how.executor_kind},
                     {"status", "completed"}},
                    {{"resource_type", how.resource},
                     {"resource_id", how.id},
                     {"from_status", how.from},
                     {"to_status", how.to}},
                    how.id)};
}

/// A Confirm that is made waits; one that is resolved has a reason.
void add_confirm(const json::object& event, bool is_made, twins& to) {
  const auto& payload = object_of(event, "payload");
  const auto id = text_of(payload, "resource_id");
  const auto reason = text_of(payload, "reason");
  if (is_made && text_of(payload, "to_status") == "pending")
    to.push_back({"mplp-pipeline-stage-event",
                  make_twin(event, "confirm_pending", "pipeline_stage",
                            {{"pipeline_id", id},
                             {"stage_id", id},
                             {"stage_status", "pending"}},
                            {{"resource_type", "confirm"},
                             {"resource_id", id},
                             {"target_id", text_of(payload, "target_id")}})});
  if (!is_made && !reason.empty())
    to.push_back({"mplp-event-core",
                  make_twin(event, "approval_reasoning", "reasoning_graph", {},
                            {{"confirm_id", id},
                             {"status", text_of(payload, "to_status")},
                             {"reasoning", json::array{reason}}})});
}

/// What a session has cost, if it used anything.
void add_cost(const json::object& event, twins& to) {
  const auto& usage = object_of(object_of(event, "payload"), "usage");
  const auto prompt = integer_of(usage, "prompt_tokens").value_or(0);
  const auto completion = integer_of(usage, "completion_tokens").value_or(0);
  const auto cost = integer_of(usage, "cost_microusd").value_or(0);
  if (prompt == 0 && completion == 0 && cost == 0)
    return;
  to.push_back({"mplp-event-core",
                make_twin(event, "trace_cost_summary", "cost_budget", {},
                          {{"prompt_tokens", prompt},
                           {"completion_tokens", completion},
                           {"cost_microusd", cost}})});
}

} // namespace

/// A session activates the Extensions that are registered.
void module_twins::start(const json::object& event, twins& to) {
  const auto& spec = object_of(object_of(event, "payload"), "spec");
  for (const auto& each : items_of(spec, "extensions"))
    if (const auto* one = each.if_object();
        one != nullptr && text_of(*one, "status") == "registered")
      to.push_back(
        moved(event, {.type = "extension_activated",
                      .executor_kind = "tool",
                      .resource = "extension",
                      .id = std::string{text_of(*one, "extension_id")},
                      .from = "registered",
                      .to = "active"}));
  session made;
  for (const auto& each : items_of(object_of(spec, "network"), "nodes"))
    if (const auto* node = each.if_object())
      made.nodes.emplace(text_of(*node, "name"), text_of(*node, "node_id"));
  const auto& budget = object_of(object_of(spec, "session"), "budget");
  made.tokens_max = integer_of(budget, "tokens").value_or(0);
  made.cost_microusd_max = integer_of(budget, "cost_microusd").value_or(0);
  if (!made.nodes.empty() || made.tokens_max > 0 || made.cost_microusd_max > 0)
    sessions_.insert_or_assign(std::string{text_of(event, "session_id")},
                               std::move(made));
}

/// Who is lost takes the connection to the node of its name along.
void module_twins::connect(const json::object& event, twins& to) {
  const auto& payload = object_of(event, "payload");
  const auto input = text_of(payload, "input");
  const bool is_lost = input == "participant_down";
  const auto of = sessions_.find(text_of(event, "session_id"));
  if ((!is_lost && input != "participant_up") || of == sessions_.end())
    return;
  const auto node = of->second.nodes.find(text_of(payload, "participant_id"));
  if (node != of->second.nodes.end())
    to.push_back(moved(event, {.type = is_lost ? "connection_lost"
                                               : "connection_established",
                               .executor_kind = "agent",
                               .resource = "node",
                               .id = node->second,
                               .from = is_lost ? "active" : "unreachable",
                               .to = is_lost ? "unreachable" : "active"}));
}

/// Once for each budget of which less than a fifth is left.
void module_twins::warn(const json::object& event, twins& to) {
  constexpr std::int64_t parts = 5;
  const auto of = sessions_.find(text_of(event, "session_id"));
  if (of == sessions_.end())
    return;
  const auto& payload = object_of(event, "payload");
  auto& known = of->second;
  const auto check = [&](std::string_view budget, std::int64_t used,
                         std::int64_t limit) {
    // Not used * parts, which may be too large; rounded up, since of a small
    // budget a fifth is less than one.
    if (limit <= 0
        || limit - std::max<std::int64_t>(used, 0) > (limit - 1) / parts
        || !known.warned.insert(budget).second)
      return;
    to.push_back(
      {"mplp-event-core",
       make_twin(event, "budget_warning", "cost_budget", {},
                 {{"budget", budget}, {"used", used}, {"limit", limit}},
                 budget)});
  };
  check("tokens", integer_of(payload, "cumulative_tokens").value_or(0),
        known.tokens_max);
  if (const auto* cost = payload.if_contains("cumulative_cost_usd");
      cost != nullptr && cost->is_number()) {
    constexpr double micro = 1e6;
    constexpr double most = 9e18;
    const auto used = cost->to_number<double>() * micro;
    check("cost_microusd", used >= 0 && used < most ? std::llround(used) : 0,
          known.cost_microusd_max);
  }
}

twins module_twins::of(const json::object& event) {
  twins made;
  if (text_of(event, "session_id").empty() || !event.contains("timestamp"))
    return made;
  const auto type = text_of(event, "event_type");
  if (type == "action_started" || type == "action_ended")
    add_action(event, type == "action_started", made);
  else if (type == "confirm_created" || type == "confirm_resolved")
    add_confirm(event, type == "confirm_created", made);
  else if (type == "session_input")
    connect(event, made);
  else if (type == "usage_recorded")
    warn(event, made);
  else if (type == "MAPSessionStarted")
    start(event, made);
  if (type == "MAPSessionCompleted") {
    add_cost(event, made);
    sessions_.erase(std::string{text_of(event, "session_id")});
  }
  return made;
}

} // namespace convene::protocol
