#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/invariants/compile.hpp>
#include <convene/protocol/invariants/rule_set.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/schemas/catalog.hpp>

#include <algorithm>
#include <unordered_set>

namespace convene::protocol {
namespace {

error placed(const rule_fault& fault, std::size_t index) {
  auto pointer = '/' + std::to_string(index);
  if (!fault.member.empty())
    append_to_pointer(pointer, fault.member);
  return {.code = fault.rule == "path_steps_max" ? errc::limit_reached
                                                 : errc::invalid_document,
          .message = fault.message,
          .pointer = std::move(pointer),
          .rule = std::string{fault.rule}};
}

result<rule_set> compile_embedded() {
  constexpr std::string_view folder = "invariants/";
  rule_set all;
  for (const auto& file : schemas::all()) {
    if (!file.path.starts_with(folder))
      continue;
    const auto rules = parse_json(file.text);
    auto added = rules ? all.add(schemas::short_name(file), *rules)
                       : fail(rules.error());
    if (!added) {
      added.error().file = file.path;
      return fail(std::move(added.error()));
    }
  }
  return all;
}

} // namespace

result<void> rule_set::add(std::string_view name, const json::value& rules) {
  const auto* list = rules.if_array();
  if (list == nullptr)
    return fail(errc::invalid_document, "rules must be an array", "bad_value");
  if (list->size() > invariants_max - rules_.size())
    return fail(errc::limit_reached,
                "more than " + std::to_string(invariants_max) + " rules",
                "invariants_max");
  auto made = rules_;
  auto targets = targets_;
  std::unordered_set<std::string> ids;
  for (const auto& rule : rules_)
    ids.insert(rule.id);
  for (std::size_t i = 0; i < list->size(); ++i) {
    auto rule = compile_invariant((*list)[i], targets);
    if (!rule)
      return fail(placed(rule.error(), i));
    if (!ids.insert(rule->id).second)
      return fail(placed({.member = "id",
                          .rule = "duplicate_id",
                          .message = quote(rule->id) + " is taken"},
                         i));
    rule->set = name;
    made.push_back(std::move(*rule));
  }
  rules_ = std::move(made);
  targets_ = std::move(targets);
  return {};
}

result<rule_set>
rule_set::select(std::span<const std::string_view> names) const {
  std::vector<std::string_view> known;
  std::string_view last_set;
  for (const auto& rule : rules_) {
    known.emplace_back(rule.id);
    if (rule.set != last_set)
      known.emplace_back(last_set = rule.set);
  }
  const std::unordered_set<std::string_view> all{known.begin(), known.end()};
  for (const auto name : names)
    if (!all.contains(name))
      return fail(errc::usage,
                  "there are no rules " + quote(name) + suggest(name, known),
                  "unknown_rule");
  rule_set chosen;
  chosen.targets_ = targets_;
  for (const auto& rule : rules_)
    if (std::ranges::find(names, rule.set) != names.end()
        || std::ranges::find(names, rule.id) != names.end())
      chosen.rules_.push_back(rule);
  return chosen;
}

const result<rule_set>& embedded_invariants() {
  // Never destroyed: static objects may use it while the program ends.
  static const auto& all = *new auto(compile_embedded());
  return all;
}

result<rule_set> usual_invariants() {
  constexpr std::string_view usual[]{"sa",          "map",      "observability",
                                     "integration", "learning", "seed"};
  const auto& all = embedded_invariants();
  return all ? all->select(usual) : all;
}

} // namespace convene::protocol
