#include <boost/json/monotonic_resource.hpp>
#include <convene/protocol/base/lines.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/events/schema_guess.hpp>
#include <convene/protocol/invariants/check.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <convene/runtime/single_agent/agent_run.hpp>
#include <convene/session/single_agent/agent_order.hpp>

#include <array>
#include <optional>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;

tl::unexpected<error> agent_fault(const std::string& what,
                                  const std::string& why) {
  return fail(errc::internal, "the run's " + what + " is wrong: " + why,
              "agent_run");
}

result<void> check_schema(const json::value& what, std::string_view schema,
                          const std::string& name) {
  const auto by = embedded_schema(schema);
  if (!by)
    return fail(by.error());
  const auto found = validate(*by, what);
  if (found.valid)
    return {};
  return agent_fault(name, found.violations.empty()
                             ? std::string{schema} + " does not allow it"
                             : found.violations.front().text);
}

/// An event as a value, in memory that is used again for the next one: a long
/// run has hundreds of thousands.
class event_copy {
public:
  const json::value& operator()(const json::object& event) {
    copy_.reset();
    memory_.emplace(buffer_.data(), buffer_.size());
    return copy_.emplace(event, &*memory_);
  }

private:
  std::array<unsigned char, 1 << 14> buffer_;
  std::optional<json::monotonic_resource> memory_; ///< as in json_scratch
  std::optional<json::value> copy_;
};

/// The rules of the profile and, of every event, its schema and its rules.
result<void> check_rules_of(const agent_run& run) {
  const auto& all = embedded_invariants();
  if (!all)
    return fail(all.error());
  static constexpr std::array<std::string_view, 2> sets{"sa", "observability"};
  const auto rules = all->select(sets);
  if (!rules)
    return fail(rules.error());
  const std::array documents{
    std::pair{invariant_scope::context, json::value(run.context)},
    std::pair{invariant_scope::plan, json::value(run.plan)},
    std::pair{invariant_scope::trace, json::value(run.trace)}};
  related_documents related{*rules};
  for (const auto& [scope, document] : documents)
    if (auto added = related.add(scope, document); !added)
      return added;
  const auto check = [&](invariant_scope scope,
                         const json::value& document) -> result<void> {
    const auto found = check_rules(*rules, scope, document, related);
    if (found.broken.empty())
      return {};
    const auto& first = found.broken.front();
    return agent_fault(std::string{to_word(scope)},
                       first.rule->id + ": " + first.message);
  };
  for (const auto& [scope, document] : documents)
    if (auto done = check(scope, document); !done)
      return done;
  event_copy whole;
  for (const auto& event : run.events) {
    const std::string type{text_of(event, "event_type")};
    const auto& value = whole(event);
    if (auto valid = check_schema(value, guess_schema(value), type); !valid)
      return valid;
    if (event.contains("event_family"))
      if (auto done = check(invariant_scope::event, value); !done)
        return done;
  }
  return {};
}

result<void> check_order(const agent_run& run) {
  std::string wrong;
  const session::agent_order::report note
    = [&wrong](std::string_view rule, const std::string& message) {
        if (wrong.empty())
          wrong = std::string{rule} + ": " + message;
      };
  session::agent_order order;
  for (const auto& event : run.events)
    order.feed(event, note);
  order.finish(false, note);
  if (wrong.empty())
    return {};
  return agent_fault("event log", wrong);
}

json::object result_of(const agent_run& run, json::object of_session) {
  auto made = std::move(of_session);
  const auto& last = run.events.back();
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

void agent_recorder::feed(std::string_view lines) {
  while (!lines.empty()) {
    const auto event = parse_json(cut_line(lines));
    if (!event || !event->is_object())
      continue;
    for (auto& told : events_.feed(event->get_object())) {
      trace_.add(told);
      all_.push_back(std::move(told));
    }
  }
}

result<agent_run> agent_recorder::finish(json::object context,
                                         json::object plan,
                                         std::optional<json::object> confirm,
                                         json::object of_session) && {
  const auto executed = decode<protocol::plan>(plan);
  if (!executed)
    return fail(executed.error());
  if (all_.empty() || text_of(all_.back(), "event_type") != "SACompleted")
    return agent_fault("session", "its log has no beginning or no end");
  agent_run run{.sa_id = std::string{text_of(all_.front(), "sa_id")},
                .context = std::move(context),
                .plan = std::move(plan),
                .confirm = std::move(confirm),
                .trace
                = std::move(encode(trace_.finish(*executed)).as_object()),
                .events = std::move(all_)};
  run.result = result_of(run, std::move(of_session));
  if (auto sound = check_agent_run(run); !sound)
    return fail(std::move(sound).error());
  return run;
}

result<void> check_agent_run(const agent_run& run) {
  auto done
    = check_schema(run.context, "mplp-context", "context")
        .and_then([&] { return check_schema(run.plan, "mplp-plan", "plan"); })
        .and_then(
          [&] { return check_schema(run.trace, "mplp-trace", "trace"); })
        .and_then(
          [&] { return check_schema(run.result, "convene-result", "result"); });
  if (done && run.confirm)
    done = check_schema(*run.confirm, "mplp-confirm", "confirm");
  return done.and_then([&] { return check_order(run); }).and_then([&] {
    return check_rules_of(run);
  });
}

} // namespace convene::host
