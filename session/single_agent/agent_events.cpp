#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/documents/trace_ids.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/session/single_agent/agent_events.hpp>
#include <convene/session/single_agent/step_dispatch.hpp>

#include <set>
#include <utility>

namespace convene::session {
namespace {

namespace json = boost::json;
using namespace convene::protocol;

/// Keeps the ids of an agent's events apart from the session's own.
constexpr std::uint64_t event_space = 0x73616576;
constexpr std::uint64_t execution_space = 0x73617374;

/// As many members as most of them have.
constexpr std::size_t members_usual = 10;

/// What executes a role's steps, as runtime_execution calls it.
std::string_view executor_kind(std::string_view behaviour) {
  if (behaviour == "llm")
    return "llm";
  if (behaviour == "process" || behaviour == "mcp" || behaviour == "http")
    return "tool";
  return behaviour == "human" ? "external" : "agent";
}

const json::array& array_in(const json::object& from, std::string_view name) {
  static const json::array none;
  const auto* found = from.if_contains(name);
  return found != nullptr && found->is_array() ? found->get_array() : none;
}

/// Steps that it waits for, in all.
std::int64_t dependencies_in(const json::array& steps) {
  std::size_t all = 0;
  for (const auto& each : steps)
    if (const auto* step = each.if_object())
      all += array_in(*step, "dependencies").size();
  return static_cast<std::int64_t>(all);
}

/// What of the session's log says something of the agent, and is told as it
/// is. What went into the session's machine does not.
bool passes_on(const json::object& event) {
  const auto family = text_of(event, "event_family");
  return text_of(event, "event_type") != "session_input"
         && (family == "pipeline_stage" || family == "graph_update"
             || family == "runtime_execution" || family == "cost_budget");
}

std::string_view role_of(const json::object& step) {
  const auto named = text_of(step, "agent_role");
  return named.empty() ? agent_role_default : named;
}

/// `completed`, `failed` or `cancelled`.
std::string_view outcome_of(const json::object& completed) {
  if (text_of(completed, "status") == "completed")
    return "completed";
  return text_of(object_of(completed, "stop_reason"), "condition")
             == "plan_failed"
           ? "failed"
           : "cancelled";
}

} // namespace

json::object& agent_events::begin(output& to, std::string_view type) {
  auto& made = to.emplace_back(memory_);
  made.reserve(members_usual);
  made.emplace("event_id",
               to_string(derive_uuid(key_, event_space, written_++)));
  made.emplace("event_type", type);
  return made;
}

json::object& agent_events::add(output& to, std::string_view type) {
  auto& made = begin(to, type);
  made.emplace("timestamp", time_);
  made.emplace("sa_id", sa_id_);
  return made;
}

json::object& agent_events::add_to_plan(output& to, std::string_view type) {
  auto& made = add(to, type);
  made.emplace("context_id", context_id_);
  made.emplace("plan_id", plan_id_);
  return made;
}

json::object& agent_events::add_family(output& to, std::string_view type,
                                       std::string_view family) {
  auto& made = begin(to, type);
  made.emplace("event_family", family);
  made.emplace("timestamp", time_);
  return made;
}

std::vector<json::object> agent_events::feed(const json::object& event,
                                             json::storage_ptr memory) {
  output made;
  memory_ = std::move(memory);
  time_ = text_of(event, "timestamp");
  const auto type = text_of(event, "event_type");
  const auto& payload = object_of(event, "payload");
  if (type == "MAPSessionStarted") {
    sa_id_ = text_of(event, "session_id");
    key_ = parse_uuid(sa_id_).value_or(hashed_uuid(sa_id_));
    start(made, payload);
  } else if (type == "MAPTurnDispatched") {
    begin_step(made, payload);
  } else if (type == "MAPTurnCompleted") {
    end_step(made, payload);
  } else if (type == "MAPSessionCompleted") {
    end(made, payload);
  } else if (passes_on(event)) {
    pass_on(made, event);
  }
  memory_ = {};
  return made;
}

void agent_events::start(output& to, const json::object& payload) {
  const auto& spec = object_of(payload, "spec");
  const auto& context = object_of(spec, "context");
  const auto& plan = object_of(spec, "plan");
  const auto& steps = array_in(plan, "steps");
  const auto& behaviours = object_of(spec, "behaviours");
  context_id_ = text_of(context, "context_id");
  plan_id_ = text_of(plan, "plan_id");

  std::set<std::string_view> types;
  for (const auto& each : steps) {
    const auto* step = each.if_object();
    if (step == nullptr)
      continue;
    const auto role = role_of(*step);
    const auto* own = behaviours.if_contains(role);
    if (own == nullptr)
      own = behaviours.if_contains("*");
    const auto behaviour = own != nullptr && own->is_object()
                             ? text_of(own->get_object(), "type")
                             : std::string_view{};
    executor_kinds_.emplace(role, executor_kind(behaviour));
    types.insert(behaviour.empty() ? "function" : behaviour);
  }
  json::array capabilities;
  for (const auto type : types)
    capabilities.emplace_back(type);
  add(to, "SAInitialized")["payload"]
    = json::object({{"capabilities", std::move(capabilities)}}, memory_);

  auto& loaded = add(to, "SAContextLoaded");
  loaded["context_id"] = context_id_;
  loaded["payload"]
    = json::object({{"context_title", text_of(context, "title")},
                    {"context_status", text_of(context, "status")}},
                   memory_);
  auto& added = add_family(to, "context_created", "graph_update");
  added["graph_id"] = context_id_;
  added["update_kind"] = "node_add";
  added["node_delta"] = 1;
  added["edge_delta"] = 0;
  added["source_module"] = "context";
  added["payload"] = json::object(
    {{"node_type", "Context"}, {"node_id", context_id_}}, memory_);

  const auto count = static_cast<std::int64_t>(steps.size());
  auto& evaluated = add_to_plan(to, "SAPlanEvaluated");
  evaluated["payload"] = json::object(
    {{"plan_title", text_of(plan, "title")}, {"step_count", count}}, memory_);
  // The plan belongs to its context, and the steps to the plan.
  auto& planned = add_family(to, "plan_created", "graph_update");
  planned["graph_id"] = context_id_;
  planned["update_kind"] = "bulk";
  planned["node_delta"] = 1 + count;
  planned["edge_delta"] = 1 + count + dependencies_in(steps);
  planned["source_module"] = "plan";
  planned["payload"] = json::object(
    {{"node_type", "Plan"}, {"node_id", plan_id_}, {"step_count", count}},
    memory_);
}

void agent_events::begin_step(output& to, const json::object& payload) {
  const auto turn = integer_of(payload, "turn_number");
  const auto step_id = text_of(payload, "step_id");
  if (!turn || step_id.empty())
    return;
  ++executed_;
  auto& begun = open_[*turn];
  begun = {.step_id = std::string{step_id},
           .role = std::string{text_of(payload, "role_id")},
           .number = integer_of(payload, "attempt").value_or(1),
           .execution_id = to_string(derive_uuid(
             key_, execution_space, static_cast<std::uint64_t>(*turn)))};
  auto& started = add_to_plan(to, "SAStepStarted");
  started["payload"] = json::object({{"step_id", step_id},
                                     {"agent_role", begun.role},
                                     {"description", text_of(payload, "task")},
                                     {"attempt", begun.number}},
                                    memory_);
  execution(to, "step_execution_started", "running", begun);
}

void agent_events::execution(output& to, std::string_view type,
                             std::string_view status, const attempt& of) {
  const auto kind = executor_kinds_.find(of.role);
  auto& made = add_family(to, type, "runtime_execution");
  made["execution_id"] = of.execution_id;
  made["executor_kind"] = kind == executor_kinds_.end() ? "agent"
                                                        : kind->second;
  made["executor_role"] = of.role;
  made["status"] = status;
  made["payload"]
    = json::object({{"step_id", of.step_id}, {"attempt", of.number}}, memory_);
}

void agent_events::end_step(output& to, const json::object& payload) {
  const auto turn = integer_of(payload, "turn_number");
  const auto found = turn ? open_.find(*turn) : open_.end();
  if (found == open_.end())
    return;
  const auto ended = std::move(found->second);
  open_.erase(found);
  const auto status = text_of(payload, "status");
  const bool done = status == "completed";
  ++(done ? succeeded_ : failed_);
  execution(to, "step_execution_ended",
            done                    ? "completed"
            : status == "cancelled" ? "cancelled"
                                    : "failed",
            ended);
  auto& made = add_to_plan(to, done ? "SAStepCompleted" : "SAStepFailed");
  json::object told({{"step_id", ended.step_id},
                     {"status", done ? "completed" : "failed"}},
                    memory_);
  if (done) {
    json::object result(object_of(payload, "result"), memory_);
    if (const auto text = text_of(payload, "output_summary"); !text.empty())
      result.emplace("output_summary", text);
    told["result"] = std::move(result);
  } else {
    const auto& error = object_of(payload, "error");
    const auto code = text_of(error, "code");
    told["error_code"] = code.empty() ? status : code;
    told["error_message"] = text_of(error, "message").empty()
                              ? text_of(payload, "output_summary")
                              : text_of(error, "message");
  }
  told["attempt"] = ended.number;
  made["payload"] = std::move(told);
}

void agent_events::pass_on(output& to, const json::object& event) {
  auto& made = add_family(to, text_of(event, "event_type"),
                          text_of(event, "event_family"));
  for (const auto& [name, value] : event)
    if (name != "session_id")
      made.emplace(name, value); // unless it has one
  auto* payload = made["payload"].if_object();
  if (payload == nullptr)
    return;
  payload->erase("input");
  const auto turn = integer_of(*payload, "turn_number");
  if (const auto found = turn ? open_.find(*turn) : open_.end();
      found != open_.end())
    payload->emplace("step_id", found->second.step_id);
  payload->emplace("log_event_id", text_of(event, "event_id"));
}

void agent_events::end(output& to, const json::object& payload) {
  const auto before = static_cast<std::int64_t>(written_);
  auto& traced = add_to_plan(to, "SATraceEmitted");
  traced["trace_id"] = to_string(trace_ids{sa_id_}.trace());
  traced["payload"] = json::object({{"events_written", before}}, memory_);
  auto& completed = add_to_plan(to, "SACompleted");
  completed["trace_id"] = to_string(trace_ids{sa_id_}.trace());
  completed["payload"] = json::object({{"status", outcome_of(payload)},
                                       {"steps_executed", executed_},
                                       {"steps_succeeded", succeeded_},
                                       {"steps_failed", failed_}},
                                      memory_);
}

} // namespace convene::session
