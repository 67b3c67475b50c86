#include <boost/json/serialize.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/documents/trace_ids.hpp>
#include <convene/protocol/events/member_walk.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/parts.hpp>
#include <convene/session/single_agent/agent_events.hpp>
#include <convene/session/single_agent/step_dispatch.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace convene::session {
namespace {

namespace json = boost::json;
using namespace convene::protocol;

/// Keeps the ids of an agent's events apart from the session's own.
constexpr std::uint64_t event_space = 0x73616576;
constexpr std::uint64_t execution_space = 0x73617374;

constexpr std::string_view no_text = R"("")";

/// The value if it is a string, else an empty one.
std::string_view text_or_none(std::string_view value) noexcept {
  return value.starts_with('"') ? value : no_text;
}

std::string spell(std::string_view text) {
  return json::serialize(json::string{text});
}

/// What executes a role's steps, as runtime_execution calls it.
std::string_view executor_kind(std::string_view behaviour) {
  if (behaviour == "llm")
    return "llm";
  if (behaviour == "process" || behaviour == "mcp" || behaviour == "http")
    return "tool";
  return behaviour == "human" ? "external" : "agent";
}

/// Steps that it waits for, in all.
std::int64_t dependencies_in(const json::array& steps) {
  std::size_t all = 0;
  for (const auto& each : steps)
    if (const auto* step = each.if_object())
      all += items_of(*step, "dependencies").size();
  return static_cast<std::int64_t>(all);
}

/// What of the session's log says something of the agent, and is told as it
/// is. What went into the session's machine does not.
bool passes_on(std::string_view event_type, std::string_view family) {
  return event_type != "session_input"
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

/// Finds the members of the event and of its payload.
bool agent_events::read(std::string_view line) {
  event_.clear();
  payload_.clear();
  member_walk event{line};
  while (event.next()) {
    if (event.name() == "payload" && event.value().starts_with('{')) {
      member_walk payload{event.value()};
      while (payload.next())
        payload_.push_back({payload.name(), payload.whole()});
      event.pass(payload);
    }
    event_.push_back({event.name(), event.whole()});
  }
  return event.has_ended();
}

told_event& agent_events::begin(std::string_view type) {
  if (told_count_ == told_.size())
    told_.emplace_back();
  auto& made = told_[told_count_++];
  made.begin(type);
  made.id("event_id", derive_uuid(key_, event_space, written_++));
  made.word("event_type", type);
  return made;
}

told_event& agent_events::add(std::string_view type) {
  auto& made = begin(type);
  made.json("timestamp", time_);
  made.json("sa_id", sa_id_);
  return made;
}

told_event& agent_events::add_to_plan(std::string_view type) {
  auto& made = add(type);
  made.json("context_id", context_id_);
  made.json("plan_id", plan_id_);
  return made;
}

told_event& agent_events::add_family(std::string_view type,
                                     std::string_view family) {
  auto& made = begin(type);
  made.word("event_family", family);
  made.json("timestamp", time_);
  return made;
}

std::span<const told_event> agent_events::feed(std::string_view line) {
  told_count_ = 0;
  if (!read(line))
    return {};
  time_ = text_or_none(find_raw(event_, "timestamp"));
  const auto type = inside_quotes(find_raw(event_, "event_type"));
  const auto family = inside_quotes(find_raw(event_, "event_family"));
  if (type == "MAPSessionStarted")
    start(line);
  else if (type == "MAPTurnDispatched")
    begin_step();
  else if (type == "MAPTurnCompleted")
    end_step();
  else if (type == "MAPSessionCompleted")
    end(line);
  else if (passes_on(type, family))
    pass_on(type, family);
  return {told_.data(), told_count_};
}

/// What executes each role's steps, and which behaviours do.
void agent_events::note_executors(const json::object& spec,
                                  std::vector<std::string_view>& types) {
  const auto& behaviours = object_of(spec, "behaviours");
  for (const auto& each : items_of(object_of(spec, "plan"), "steps")) {
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
    executor_kinds_.try_emplace(spell(role), executor_kind(behaviour));
    types.push_back(behaviour.empty() ? "function" : behaviour);
  }
}

void agent_events::start(std::string_view line) {
  const auto event = parse_json(line);
  if (!event || !event->is_object())
    return;
  const auto& members = event->get_object();
  const std::string sa_id{text_of(members, "session_id")};
  sa_id_ = spell(sa_id);
  key_ = parse_uuid(sa_id).value_or(hashed_uuid(sa_id));
  trace_id_ = trace_ids{sa_id}.trace();
  const auto& spec = object_of(object_of(members, "payload"), "spec");
  const auto& context = object_of(spec, "context");
  const auto& plan = object_of(spec, "plan");
  const auto& steps = items_of(plan, "steps");
  context_id_ = spell(text_of(context, "context_id"));
  plan_id_ = spell(text_of(plan, "plan_id"));

  std::vector<std::string_view> types;
  note_executors(spec, types);
  json::array capabilities;
  for (const auto type : std::set<std::string_view>(types.begin(), types.end()))
    capabilities.emplace_back(type);
  auto& begun = add("SAInitialized");
  begun.open("payload");
  begun.json("capabilities", json::serialize(capabilities));
  begun.end();

  auto& loaded = add("SAContextLoaded");
  loaded.json("context_id", context_id_);
  loaded.open("payload");
  loaded.text("context_title", text_of(context, "title"));
  loaded.text("context_status", text_of(context, "status"));
  loaded.end();
  auto& added = add_family("context_created", "graph_update");
  added.json("graph_id", context_id_);
  added.word("update_kind", "node_add");
  added.number("node_delta", 1);
  added.number("edge_delta", 0);
  added.word("source_module", "context");
  added.open("payload");
  added.word("node_type", "Context");
  added.json("node_id", context_id_);
  added.end();

  const auto count = static_cast<std::int64_t>(steps.size());
  auto& evaluated = add_to_plan("SAPlanEvaluated");
  evaluated.open("payload");
  evaluated.text("plan_title", text_of(plan, "title"));
  evaluated.number("step_count", count);
  evaluated.end();
  // The plan belongs to its context, and the steps to the plan.
  auto& planned = add_family("plan_created", "graph_update");
  planned.json("graph_id", context_id_);
  planned.word("update_kind", "bulk");
  planned.number("node_delta", 1 + count);
  planned.number("edge_delta", 1 + count + dependencies_in(steps));
  planned.word("source_module", "plan");
  planned.open("payload");
  planned.word("node_type", "Plan");
  planned.json("node_id", plan_id_);
  planned.number("step_count", count);
  planned.end();
}

void agent_events::begin_step() {
  const auto turn = integer_of_raw(find_raw(payload_, "turn_number"));
  const auto step_id = find_raw(payload_, "step_id");
  if (!turn || inside_quotes(step_id).empty())
    return;
  ++executed_;
  auto& begun = open_[*turn];
  begun.step_id = step_id;
  begun.role = text_or_none(find_raw(payload_, "role_id"));
  begun.number = integer_of_raw(find_raw(payload_, "attempt")).value_or(1);
  begun.execution_id = derive_uuid(key_, execution_space,
                                   static_cast<std::uint64_t>(*turn));
  auto& started = add_to_plan("SAStepStarted");
  started.step_id = begun.step_id;
  started.open("payload");
  started.json("step_id", step_id);
  started.json("agent_role", begun.role);
  started.json("description", text_or_none(find_raw(payload_, "task")));
  started.number("attempt", begun.number);
  started.end();
  execution("step_execution_started", "running", begun);
}

void agent_events::execution(std::string_view type, std::string_view status,
                             const attempt& of) {
  const auto kind = executor_kinds_.find(of.role);
  auto& made = add_family(type, "runtime_execution");
  made.id("execution_id", of.execution_id);
  made.word("executor_kind",
            kind == executor_kinds_.end() ? "agent" : kind->second);
  made.json("executor_role", of.role);
  made.word("status", status);
  made.open("payload");
  made.json("step_id", of.step_id);
  made.number("attempt", of.number);
  made.end();
}

void agent_events::end_step() {
  const auto turn = integer_of_raw(find_raw(payload_, "turn_number"));
  const auto found = turn ? open_.find(*turn) : open_.end();
  if (found == open_.end())
    return;
  ended_ = std::move(found->second);
  open_.erase(found);
  const auto status = inside_quotes(find_raw(payload_, "status"));
  const bool done = status == "completed";
  ++(done ? succeeded_ : failed_);
  execution("step_execution_ended",
            done                    ? "completed"
            : status == "cancelled" ? "cancelled"
                                    : "failed",
            ended_);
  auto& made = add_to_plan(done ? "SAStepCompleted" : "SAStepFailed");
  made.step_id = ended_.step_id;
  made.open("payload");
  made.json("step_id", ended_.step_id);
  made.word("status", done ? "completed" : "failed");
  if (done)
    add_result(made);
  else
    add_error(made);
  made.number("attempt", ended_.number);
  made.end();
}

/// With the reply's summary, unless it has a member of that name.
void agent_events::add_result(told_event& to) {
  auto result = find_raw(payload_, "result");
  if (!result.starts_with('{'))
    result = "{}";
  const auto summary = find_raw(payload_, "output_summary");
  bool has_summary = inside_quotes(summary).empty();
  for (member_walk at{result}; !has_summary && at.next();)
    has_summary = at.name() == "output_summary";
  if (has_summary)
    return to.json("result", result);
  std::string whole{result.substr(0, result.size() - 1)};
  whole += result.size() > 2 ? "," : "";
  to.json("result",
          whole.append(R"("output_summary":)").append(summary) += '}');
}

void agent_events::add_error(told_event& to) {
  const auto error = find_raw(payload_, "error");
  const auto status = text_or_none(find_raw(payload_, "status"));
  auto code = no_text;
  auto message = no_text;
  if (error.starts_with('{'))
    for (member_walk at{error}; at.next();) {
      if (at.name() == "code")
        code = text_or_none(at.whole());
      else if (at.name() == "message")
        message = text_or_none(at.whole());
    }
  to.json("error_code", code == no_text ? status : code);
  to.json("error_message", message == no_text ? text_or_none(
                             find_raw(payload_, "output_summary"))
                                              : message);
}

void agent_events::pass_on(std::string_view type, std::string_view family) {
  auto& made = add_family(type, family);
  bool has_payload = false;
  for (const auto& [name, value] : event_) {
    if (name == "event_id" || name == "event_type" || name == "event_family"
        || name == "timestamp" || name == "session_id")
      continue;
    const bool is_payload = name == "payload";
    has_payload = has_payload || is_payload;
    if (is_payload && value.starts_with('{'))
      pass_on_payload(made);
    else
      made.json(name, value);
  }
  if (!has_payload)
    made.json("payload", "null");
  made.end();
}

/// Without what made the machine do it; with the step, and the event that it
/// is in the session's log.
void agent_events::pass_on_payload(told_event& to) {
  const auto input = std::ranges::find(payload_, "input", &raw_member::name);
  if (input != payload_.end()) {
    // As a JSON object forgets a member.
    *input = payload_.back();
    payload_.pop_back();
  }
  to.open("payload");
  for (const auto& [name, value] : payload_)
    to.json(name, value);
  const auto turn = integer_of_raw(find_raw(payload_, "turn_number"));
  const auto open = turn ? open_.find(*turn) : open_.end();
  if (open != open_.end() && find_raw(payload_, "step_id").empty())
    to.json("step_id", open->second.step_id);
  if (find_raw(payload_, "log_event_id").empty())
    to.json("log_event_id", text_or_none(find_raw(event_, "event_id")));
  to.close();
}

void agent_events::end(std::string_view line) {
  const auto before = static_cast<std::int64_t>(written_);
  auto& traced = add_to_plan("SATraceEmitted");
  traced.id("trace_id", trace_id_);
  traced.open("payload");
  traced.number("events_written", before);
  traced.end();
  auto& completed = add_to_plan("SACompleted");
  completed.id("trace_id", trace_id_);
  completed.open("payload");
  const auto event = parse_json(line);
  completed.word("status", event && event->is_object() ? outcome_of(
                             object_of(event->get_object(), "payload"))
                                                       : "cancelled");
  completed.number("steps_executed", executed_);
  completed.number("steps_succeeded", succeeded_);
  completed.number("steps_failed", failed_);
  completed.end();
}

} // namespace convene::session
