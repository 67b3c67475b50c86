#include <convene/protocol/boundary/slot_walk.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/events/raw_member.hpp>
#include <convene/protocol/events/schema_guess.hpp>
#include <convene/protocol/invariants/check.hpp>
#include <convene/protocol/invariants/document_check.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <convene/protocol/text/text_rules.hpp>
#include <convene/runtime/single_agent/event_judge.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace convene::host {

using namespace convene::protocol;

namespace {

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

/// Those about events, which refer to no other document.
const result<rule_set>& event_rules() {
  static const auto rules = select_rules([](const invariant& rule) {
    return rule.set == "observability" && rule.scope == invariant_scope::event;
  });
  return rules;
}

using boundary::demand;

/// More kinds of events than a run has; those of others are not learned.
constexpr std::size_t shapes_max = 64;

bool admits_any_object(const demand& what) {
  const auto& node = what.code->nodes[what.node];
  return (node.types & validation::types::object) != 0
         && node.first[validation::objects]
              == node.first[validation::objects + 1U];
}

bool admits_text(const std::vector<const invariant*>& rules,
                 std::string_view text) {
  return std::ranges::all_of(rules, [&](const invariant* one) {
    if (std::holds_alternative<uuid_v4_rule>(one->rule))
      return is_uuid_v4(text);
    if (std::holds_alternative<date_time_rule>(one->rule))
      return is_date_time(text);
    return what_is_wrong(one->rule, json::string{text}).empty();
  });
}

/// Whether the rule looks at one value and nothing else.
bool is_about_value(const invariant& rule) {
  return rule.path.size() == 1 && !rule.path.front().member.empty()
         && !std::holds_alternative<same_value_rule>(rule.rule)
         && !std::holds_alternative<unique_rule>(rule.rule)
         && !std::holds_alternative<program_rule>(rule.rule);
}

bool is_constant(std::string_view member) {
  return member == "event_type" || member == "event_family";
}

} // namespace

tl::unexpected<error> agent_fault(std::string_view what,
                                  const std::string& why) {
  return fail(errc::internal,
              "the run's " + std::string{what} + " is wrong: " + why,
              "agent_run");
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

result<void> check_by(const rule_set& rules, invariant_scope scope,
                      const json::value& document,
                      const related_documents& related) {
  const auto found = check_rules(rules, scope, document, related);
  if (found.broken.empty())
    return {};
  const auto& first = found.broken.front();
  return agent_fault(to_word(scope), first.rule->id + ": " + first.message);
}

bool event_judge::passes(const session::told_event& event) {
  auto* const found = find(event);
  if (found == nullptr || found->slots.empty())
    return false;
  auto at = found->slots.begin();
  return std::ranges::all_of(event.members(), [&](const auto& member) {
    return admits(*at++, event.value_of(member));
  });
}

result<void> event_judge::check(const session::told_event& event,
                                const json::value& tree) {
  const auto& rules = event_rules();
  if (!rules)
    return fail(rules.error());
  const auto& members = tree.get_object();
  const auto schema = guess_schema(tree);
  if (auto valid = check_schema(tree, schema, text_of(members, "event_type"));
      !valid)
    return valid;
  static const related_documents none{*rules};
  if (members.contains("event_family"))
    if (auto valid = check_by(*rules, invariant_scope::event, tree, none);
        !valid)
      return valid;
  if (find(event) == nullptr && shapes_.size() < shapes_max)
    learn(event, tree, schema);
  return {};
}

event_judge::shape* event_judge::find(const session::told_event& event) {
  const auto found = std::ranges::find_if(shapes_, [&](const shape& one) {
    return one.type == event.type()
           && (one.slots.empty()
               || std::ranges::equal(one.slots, event.members(), {},
                                     &slot::name,
                                     &session::told_event::member::name));
  });
  return found == shapes_.end() ? nullptr : &*found;
}

bool event_judge::admits(slot& by, std::string_view value) {
  if (value == by.known)
    return true;
  if (by.is_constant)
    return false;
  if (value.starts_with('{'))
    return by.rules.empty()
           && std::ranges::all_of(by.demands, admits_any_object);
  const auto text = inside_quotes(value);
  const auto number = integer_of_raw(value);
  const bool good
    = value.starts_with('"')
        ? text.find('\\') == text.npos && boundary::meets(by.demands, text)
            && admits_text(by.rules, text)
        : number && by.rules.empty() && boundary::meets(by.demands, *number);
  if (good)
    by.known = value;
  return good;
}

/// False: a rule asks for what no member alone can show.
bool event_judge::add_rules(shape& to, const rule_set& rules,
                            const json::object& sample) {
  for (const auto& rule : rules.all()) {
    const bool is_for_all = std::ranges::all_of(rule.when, [](const auto& one) {
      return is_constant(one.first);
    });
    const bool applies
      = std::ranges::all_of(rule.when, [&](const auto& condition) {
          const auto* found = sample.if_contains(condition.first);
          return found != nullptr && *found == condition.second;
        });
    if (is_for_all && !applies)
      continue;
    if (!is_for_all || !is_about_value(rule))
      return false;
    const auto of = std::ranges::find(to.slots, rule.path.front().member,
                                      &slot::name);
    if (of != to.slots.end())
      of->rules.push_back(&rule);
  }
  return true;
}

/// Works out what each member of a valid event has to be.
void event_judge::learn(const session::told_event& event,
                        const json::value& tree, std::string_view schema) {
  const auto by = find_schema(schema);
  auto& made = shapes_.emplace_back();
  made.type = event.type();
  std::vector<std::string> places;
  for (const auto& [name, begin, end] : event.members()) {
    made.slots.push_back(
      {.name = std::string{name},
       .known = std::string{event.value_of({name, begin, end})},
       .is_constant = is_constant(name)});
    if (!is_constant(name))
      places.push_back('/' + std::string{name});
  }
  const std::vector<std::string_view> varying{places.begin(), places.end()};
  bool is_known = by.has_value()
                  && (!tree.get_object().contains("event_family")
                      || add_rules(made, *event_rules(), tree.get_object()));
  for (auto& one : made.slots) {
    if (!is_known || one.is_constant)
      continue;
    auto asked = boundary::demands_at(*by, tree, '/' + one.name, varying);
    is_known = asked.has_value();
    if (asked)
      one.demands = *std::move(asked);
  }
  if (!is_known)
    made.slots.clear();
}

} // namespace convene::host
