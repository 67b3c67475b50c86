#include <convene/protocol/invariants/path.hpp>
#include <convene/protocol/invariants/scope.hpp>
#include <convene/runtime/data/documents/check_invariants.hpp>

#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;

constexpr std::string_view keyword = "invariant";

placed_violation place_rule(const invariant& rule, std::string message) {
  return {.keyword = std::string{keyword},
          .message = std::move(message),
          .line = 1,
          .column = 1,
          .rule = {.id = rule.id,
                   .scope = std::string{to_word(rule.scope)},
                   .path = rule.path_text,
                   .demanded_by = rule.demanded_by}};
}

void add(file_verdict& out, invariant_level level, placed_violation what) {
  if (level == invariant_level::error)
    return add_error(out, std::move(what));
  ++out.warnings_total;
  if (out.warnings.size() < violations_kept)
    out.warnings.push_back(std::move(what));
}

/// A Trace may carry a session's events as `data` of its own (MPLP
/// conflicts.md C-17). Those are checked as a log is.
void check_trace(const rule_set& rules, const json::value& trace,
                 const place_finder& find, file_verdict& out) {
  const auto* events = find_value({{.member = "events"}}, trace);
  if (events == nullptr || !events->is_array())
    return;
  session_rules sessions{rules, trace_open_max};
  std::size_t described = 0;
  const session_rule_visitor report = [&](const broken_session_rule& broken) {
    if (++described > broken_rules_kept) {
      ++(broken.rule->level == invariant_level::error ? out.errors_total
                                                      : out.warnings_total);
      return;
    }
    auto what = place_rule(*broken.rule, broken.message);
    what.instance = "/events/" + std::to_string(broken.at);
    what.rule.path = "events[" + std::to_string(broken.at) + ']';
    const auto [line, column] = find(what.instance);
    what.line = line;
    what.column = column;
    add(out, broken.rule->level, std::move(what));
  };
  const auto& all = events->get_array();
  result<void> done;
  for (std::size_t i = 0; done && i < all.size(); ++i)
    if (const auto* data = find_value({{.member = "data"}}, all[i]))
      done = sessions.feed(i, *data, report);
  if (!done)
    add_error(out, {.keyword = "limit",
                    .message = done.error().message,
                    .line = 1,
                    .column = 1});
  sessions.finish(report);
  out.rules_checked += sessions.rules_total();
}

/// Puts a rule that events break at the event's line, or if that is in an
/// earlier file, at `line`.
session_rule_visitor place_in_log(const invariant_rules& rules,
                                  std::size_t line, file_verdict& out) {
  return [&rules, line, &out](const broken_session_rule& broken) {
    const bool here = broken.at > rules.lines_before;
    auto what = place_rule(
      *broken.rule, "session " + broken.session_id + ": " + broken.message
                      + (here ? "" : ", since an earlier file"));
    what.line = here ? broken.at - rules.lines_before : line;
    add(out, broken.rule->level, std::move(what));
  };
}

} // namespace

void check_invariants(const invariant_rules& rules, std::string_view schema,
                      const json::value& document, const place_finder& find,
                      file_verdict& out) {
  const auto scope = scope_of(schema, document);
  if (!scope)
    return;
  auto found = check_rules(*rules.rules, *scope, document, *rules.related);
  out.rules_checked += found.checked;
  for (const auto* rule : found.unchecked)
    out.rules_unchecked.insert(rule->id);
  for (auto& broken : found.broken) {
    auto what = place_rule(*broken.rule, std::move(broken.message));
    const auto [line, column] = find(broken.pointer);
    what.instance = std::move(broken.pointer);
    what.line = line;
    what.column = column;
    what.rule.path = std::move(broken.path);
    what.rule.value = std::move(broken.value);
    (broken.rule->level == invariant_level::error ? found.errors
                                                  : found.warnings)
      -= 1;
    add(out, broken.rule->level, std::move(what));
  }
  out.errors_total += found.errors; // those that were only counted
  out.warnings_total += found.warnings;
  if (*scope == invariant_scope::trace)
    check_trace(*rules.rules, document, find, out);
}

result<void> feed_session_rules(const invariant_rules& rules,
                                const json::value& event, std::size_t line,
                                file_verdict& out) {
  if (rules.sessions == nullptr)
    return {};
  return rules.sessions->feed(rules.lines_before + line, event,
                              place_in_log(rules, line, out));
}

void finish_session_rules(const invariant_rules& rules, std::size_t last_line,
                          bool rests, file_verdict& out) {
  if (rules.sessions == nullptr)
    return;
  if (!rests)
    rules.sessions->finish(place_in_log(rules, last_line, out));
  out.rules_checked += rules.sessions->rules_total();
}

} // namespace convene::host
