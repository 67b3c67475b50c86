#include <boost/json/monotonic_resource.hpp>
#include <boost/json/serialize.hpp>
#include <convene/protocol/base/lines.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/events/schema_guess.hpp>
#include <convene/protocol/invariants/check.hpp>
#include <convene/protocol/json/json_scratch.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <convene/runtime/single_agent/agent_run.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace convene::host {
namespace {

using namespace convene::protocol;

tl::unexpected<error> agent_fault(std::string_view what,
                                  const std::string& why) {
  return fail(errc::internal,
              "the run's " + std::string{what} + " is wrong: " + why,
              "agent_run");
}

/// As `embedded_schema`, without its lock. `name` is a constant.
result<compiled_schema> find_schema(std::string_view name) {
  static thread_local std::vector<std::pair<std::string_view, compiled_schema>>
    known;
  const auto found
    = std::ranges::find(known, name, [](const auto& one) { return one.first; });
  if (found != known.end())
    return found->second;
  auto made = embedded_schema(name);
  if (made)
    known.emplace_back(name, *made);
  return made;
}

result<void> check_schema(const json::value& what, std::string_view schema,
                          std::string_view name) {
  const auto by = find_schema(schema);
  if (!by)
    return fail(by.error());
  const auto found = validate(*by, what);
  if (found.valid)
    return {};
  return agent_fault(name, found.violations.empty()
                             ? std::string{schema} + " does not allow it"
                             : found.violations.front().text);
}

/// Of the embedded rules, those that `applies` says.
template <class F>
result<rule_set> select_rules(const F& applies) {
  const auto& all = embedded_invariants();
  if (!all)
    return fail(all.error());
  std::vector<std::string_view> ids;
  for (const auto& rule : all->all())
    if (applies(rule))
      ids.emplace_back(rule.id);
  return all->select(ids);
}

/// The rules of the profile.
const result<rule_set>& profile_rules() {
  static const auto rules
    = select_rules([](const invariant& rule) { return rule.set == "sa"; });
  return rules;
}

/// Those about events, which refer to no other document.
const result<rule_set>& event_rules() {
  static const auto rules = select_rules([](const invariant& rule) {
    return rule.set == "observability" && rule.scope == invariant_scope::event;
  });
  return rules;
}

result<void> check_by(const rule_set& rules, invariant_scope scope,
                      const json::value& document,
                      const related_documents& related) {
  const auto found = check_rules(rules, scope, document, related);
  if (found.broken.empty())
    return {};
  const auto& first = found.broken.front();
  return agent_fault(to_word(scope), first.rule->id + ": " + first.message);
}

/// By its schema and the rules.
result<void> check_event(const json::value& event) {
  const auto& rules = event_rules();
  if (!rules)
    return fail(rules.error());
  const auto& members = event.get_object();
  if (auto valid = check_schema(event, guess_schema(event),
                                text_of(members, "event_type"));
      !valid)
    return valid;
  if (!members.contains("event_family"))
    return {};
  static const related_documents none{*rules};
  return check_by(*rules, invariant_scope::event, event, none);
}

/// Gives the Trace the first of the run's events.
void add_events(json::object& trace, const agent_run& run, std::size_t count) {
  auto& all = trace.at("events").as_array();
  all.reserve(count);
  json_scratch scratch;
  for (std::size_t i = 0; i < count; ++i)
    if (const auto event = scratch.parse(run.events.line(i)))
      all.emplace_back(session::trace_event(json::object((*event)->get_object(),
                                                         trace.storage()),
                                            run.outline.trace_id));
}

using document = std::pair<invariant_scope, json::value>;

/// Each by its schema, and all by the rules of the profile.
result<void> check_documents(std::span<const document> all) {
  const auto& rules = profile_rules();
  if (!rules)
    return fail(rules.error());
  related_documents related{*rules};
  for (const auto& [scope, one] : all) {
    const auto name = to_word(scope);
    if (auto done = check_schema(one, name, name).and_then([&, &one = one] {
          return related.add(scope, one);
        });
        !done)
      return done;
  }
  for (const auto& [scope, one] : all)
    if (auto done = check_by(*rules, scope, one, related); !done)
      return done;
  return {};
}

json::object result_of(const agent_run& run, json::object of_session) {
  auto made = std::move(of_session);
  const auto last = run.events.back();
  made["profile"] = "sa";
  made["sa_id"] = run.sa_id;
  json::object steps;
  for (const auto& [name, value] : object_of(last, "payload"))
    steps.emplace(name, value);
  made["steps"] = std::move(steps);
  json::object paths{{"context", "context.json"},
                     {"plan", "plan.json"},
                     {"trace", "trace.json"},
                     {"events", "events.jsonl"},
                     {"session", "session"}};
  if (run.confirm)
    paths.emplace("confirm", "confirm.json");
  made["documents"] = std::move(paths);
  return made;
}

} // namespace

json::object agent_run::trace() const {
  json::object made(encode(outline).as_object(),
                    json::make_shared_resource<json::monotonic_resource>());
  add_events(made, *this, traced);
  return made;
}

void agent_recorder::feed(std::string_view lines) {
  thread_local json_scratch scratch;
  while (!lines.empty()) {
    const auto event = scratch.parse(cut_line(lines));
    if (event && (*event)->is_object())
      feed((*event)->get_object());
  }
}

void agent_recorder::feed(const json::object& event) {
  // What is told of it is written and judged before the next one comes.
  std::array<unsigned char, 1 << 14> buffer;
  json::monotonic_resource memory{buffer.data(), buffer.size()};
  for (auto& told : events_.feed(event, &memory))
    record(std::move(told));
}

void agent_recorder::record(json::value&& event) {
  auto& members = event.get_object();
  log_.add(json::serialize(members));
  note(check_event(event));
  order_.feed(
    event,
    [this](std::string_view rule, const std::string& what) {
      note(agent_fault("event log", std::string{rule} + ": " + what));
    },
    !fault_);
  trace_.add(members);
  if (trace_.kept() == log_.size())
    check_traced(std::move(members));
}

/// Of what the Trace adds to a valid event, only the type in its other spelling
/// can be wrong.
void agent_recorder::check_traced(json::object&& event) {
  const auto type = text_of(event, "event_type");
  if (traced_types_.contains(type))
    return;
  traced_types_.emplace(type);
  note(check_schema(session::trace_event(std::move(event), trace_.trace_id()),
                    "events", "trace"));
}

void agent_recorder::note(const result<void>& checked) {
  if (!checked && !fault_)
    fault_ = checked.error();
}

result<agent_run> agent_recorder::finish(json::object context,
                                         json::object plan,
                                         const protocol::plan& executed,
                                         std::optional<json::object> confirm,
                                         json::object of_session) && {
  if (log_.empty() || text_of(log_.back(), "event_type") != "SACompleted")
    return agent_fault("session", "its log has no beginning or no end");
  std::vector<document> documents;
  documents.emplace_back(invariant_scope::context, std::move(context));
  documents.emplace_back(invariant_scope::plan, std::move(plan));
  agent_run run{.sa_id = std::string{text_of(log_.front(), "sa_id")},
                .events = std::move(log_),
                .outline = trace_.finish(executed),
                .traced = trace_.kept()};
  auto& trace = documents
                  .emplace_back(invariant_scope::trace, encode(run.outline))
                  .second;
  add_events(trace.as_object(), run, std::min<std::size_t>(run.traced, 1));
  if (confirm)
    documents.emplace_back(invariant_scope::confirm, *std::move(confirm));
  note(check_documents(documents));
  run.context = std::move(documents[0].second.as_object());
  run.plan = std::move(documents[1].second.as_object());
  if (confirm)
    run.confirm = std::move(documents.back().second.as_object());
  json::value made = result_of(run, std::move(of_session));
  note(check_schema(made, "convene-result", "result"));
  run.result = std::move(made.as_object());
  if (fault_)
    return fail(*std::move(fault_));
  return run;
}

} // namespace convene::host
