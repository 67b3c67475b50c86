#include <convene/protocol/invariants/compile.hpp>
#include <convene/protocol/invariants/path.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>

namespace convene::protocol {
namespace {

using fault = tl::unexpected<rule_fault>;

constexpr std::string_view members[]{"id",    "scope",      "path",
                                     "rule",  "when",       "description",
                                     "level", "demanded_by"};

fault refuse(std::string_view member, std::string_view rule,
             std::string message) {
  return fault{{.member = member, .rule = rule, .message = std::move(message)}};
}

/// Where a rule without words looks at.
invariant_scope scope_of(program_rule rule) {
  switch (rule) {
    case program_rule::map_turn_completion_matches_dispatch:
    case program_rule::map_broadcast_has_receivers:
      return invariant_scope::trace;
    case program_rule::map_exclusive_write:
      return invariant_scope::runtime;
    case program_rule::map_orchestrator_required:
    case program_rule::map_role_ids_known:
      return invariant_scope::collab;
    case program_rule::plan_dependencies_known:
      return invariant_scope::plan;
    case program_rule::trace_segments_known:
      return invariant_scope::trace;
    case program_rule::network_role_ids_known:
      return invariant_scope::network;
    case program_rule::protocol_versions_mixed:
      return invariant_scope::core;
    default:
      return invariant_scope::dialog;
  }
}

/// A text that may be null or missing; what else is there is a fault.
tl::expected<std::string_view, rule_fault>
text_or_null(const json::object& from, std::string_view member) {
  const auto* value = from.if_contains(member);
  if (value == nullptr || value->is_null())
    return std::string_view{};
  const auto text = text_of(from, member);
  if (text.empty())
    return refuse(member, "bad_value", "must be a text or null");
  return text;
}

tl::expected<void, rule_fault> read_when(const json::object& from,
                                         invariant& to) {
  const auto* when = from.if_contains("when");
  if (when == nullptr || when->is_null())
    return {};
  if (!when->is_object())
    return refuse("when", "bad_value", "must be an object or null");
  for (const auto& [name, value] : when->get_object()) {
    if (name != "present")
      to.when.emplace_back(name, value);
    else if (!value.is_bool() || !value.get_bool())
      return refuse("when", "bad_value", "present can only be true");
    else
      to.when_present = true;
  }
  return {};
}

tl::expected<void, rule_fault> read_names(const json::object& from,
                                          invariant& to) {
  for (const auto& member : from)
    if (std::ranges::find(members, std::string_view{member.key()})
        == std::end(members))
      return refuse("", "unknown_member",
                    "a rule has no member " + quote(member.key()));
  to.id = text_of(from, "id");
  to.description = text_of(from, "description");
  for (const auto demand : texts_of(from, "demanded_by"))
    to.demanded_by.emplace_back(demand);
  if (to.id.empty())
    return refuse("id", "bad_value", "must be a text that is not empty");
  if (to.description.empty())
    return refuse("description", "bad_value", "must say what the rule is for");
  if (to.demanded_by.empty())
    return refuse("demanded_by", "bad_value", "must say who asks for it");
  const auto scope = from_word<invariant_scope>(text_of(from, "scope"));
  if (!scope)
    return refuse("scope", "unknown_scope",
                  "there are no documents of kind "
                    + quote(text_of(from, "scope")));
  to.scope = *scope;
  if (!from.contains("level"))
    return {};
  const auto level = from_word<invariant_level>(text_of(from, "level"));
  if (!level)
    return refuse("level", "bad_value", "must be error or warning");
  to.level = *level;
  return {};
}

} // namespace

tl::expected<invariant, rule_fault>
compile_invariant(const json::value& from, std::vector<rule_target>& targets) {
  if (!from.is_object())
    return refuse("", "bad_value", "a rule must be an object");
  const auto& object = from.get_object();
  invariant made;
  if (auto done = read_names(object, made); !done)
    return fault{std::move(done.error())};
  if (auto done = read_when(object, made); !done)
    return fault{std::move(done.error())};
  const auto path = text_or_null(object, "path");
  if (!path)
    return fault{path.error()};
  const auto rule = text_or_null(object, "rule");
  if (!rule)
    return fault{rule.error()};
  made.path_text = *path;
  made.path = path->empty() ? value_path{} : parse_path(*path);
  if (!path->empty() && made.path.empty())
    return refuse("path", "bad_path",
                  quote(*path) + " is not a path such as a.b, a[0] or a[*].b");
  if (made.path.size() > path_steps_max)
    return refuse("path", "path_steps_max",
                  "more than " + std::to_string(path_steps_max) + " steps");
  made.rule_text = *rule;
  if (!rule->empty()) {
    if (made.path.empty())
      return refuse("path", "bad_path", "a rule needs a path");
    auto compiled = compile_rule(*rule, targets);
    if (!compiled)
      return fault{std::move(compiled.error())};
    made.rule = std::move(*compiled);
    return made;
  }
  const auto program = from_word<program_rule>(made.id);
  if (!program || scope_of(*program) != made.scope)
    return refuse("rule", "unknown_rule",
                  "no program checks " + quote(made.id) + " of a "
                    + std::string{to_word(made.scope)});
  made.rule = *program;
  return made;
}

} // namespace convene::protocol
