#include <boost/json/monotonic_resource.hpp>
#include <boost/json/serialize.hpp>
#include <convene/protocol/base/lines.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/documents/encode_trace.hpp>
#include <convene/protocol/events/raw_member.hpp>
#include <convene/protocol/invariants/check.hpp>
#include <convene/protocol/json/json_scratch.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
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

/// The rules of the profile.
const result<rule_set>& profile_rules() {
  static constexpr std::array<std::string_view, 1> sets{"sa"};
  static const auto rules = embedded_invariants().and_then(
    [](const rule_set& all) { return all.select(sets); });
  return rules;
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
  while (!lines.empty()) {
    const auto line = cut_line(lines);
    if (line.find("\\u") == line.npos)
      feed_plain(line);
    else if (const auto event = parse_json(line); event && event->is_object())
      feed(event->get_object());
  }
}

void agent_recorder::feed(const json::object& event) {
  feed_plain(json::serialize(event));
}

void agent_recorder::feed_plain(std::string_view line) {
  for (const auto& told : events_.feed(line))
    record(told);
}

void agent_recorder::record(const session::told_event& told) {
  log_.add(told.line());
  trace_.add(told);
  const session::agent_order::report wrong = [this](std::string_view rule,
                                                    const std::string& what) {
    note(agent_fault("event log", std::string{rule} + ": " + what));
  };
  const auto sa_id = inside_quotes(told.value_of("sa_id"));
  const auto step_id = inside_quotes(told.step_id);
  // The other members of a step's event are what they have to be.
  if ((sa_id.empty() || parse_uuid(step_id)) && judge_.passes(told)) {
    if (!sa_id.empty())
      order_.feed_step(told.type(), sa_id, step_id, wrong);
    return;
  }
  thread_local json_scratch scratch;
  const auto event = scratch.parse(told.line());
  if (!event)
    return note(fail(event.error()));
  note(judge_.check(told, **event));
  order_.feed(**event, wrong);
  if (trace_.kept() == log_.size())
    check_traced(json::object((*event)->get_object()));
}

/// Of what the Trace adds to a valid event, only the type in its other spelling
/// can be wrong: what `passes` has the type of one that was looked at.
void agent_recorder::check_traced(json::object&& event) {
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
  json::monotonic_resource memory; // of the Trace, which is checked and dropped
  std::vector<document> documents;
  documents.emplace_back(invariant_scope::context, std::move(context));
  documents.emplace_back(invariant_scope::plan, std::move(plan));
  agent_run run{.sa_id = std::string{text_of(log_.front(), "sa_id")},
                .events = std::move(log_),
                .outline = trace_.finish(executed),
                .traced = trace_.kept()};
  auto& trace = documents
                  .emplace_back(invariant_scope::trace,
                                encode_trace(run.outline, &memory))
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
