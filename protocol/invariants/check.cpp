#include <boost/json/serialize.hpp>
#include <convene/protocol/events/schema_guess.hpp>
#include <convene/protocol/invariants/document_check.hpp>
#include <convene/protocol/invariants/scope.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>
#include <unordered_map>

namespace convene::protocol {
namespace {

/// Whether the document has all that the rule says it must have to apply.
bool applies(const invariant& rule, const json::value& document) {
  return std::ranges::all_of(rule.when, [&](const auto& condition) {
    const auto* object = document.if_object();
    const auto* member
      = object == nullptr ? nullptr : object->if_contains(condition.first);
    return member != nullptr && *member == condition.second;
  });
}

bool is_about_events(const invariant& rule) {
  using enum program_rule;
  const auto* program = std::get_if<program_rule>(&rule.rule);
  return program != nullptr
         && (*program == map_turn_completion_matches_dispatch
             || *program == map_broadcast_has_receivers
             || *program == map_exclusive_write);
}

void check_all(const rule_set& rules, invariant_scope scope,
               const json::value& document, const place& at,
               const related_documents& related, rules_outcome& out) {
  for (const auto& rule : rules.all()) {
    if (rule.scope != scope || is_about_events(rule)
        || !applies(rule, document))
      continue;
    const auto* same = std::get_if<same_value_rule>(&rule.rule);
    const auto other = same == nullptr ? scope
                                       : rules.targets()[same->target].scope;
    if (other != scope && !related.has(other)) {
      out.unchecked.push_back(&rule);
      continue;
    }
    ++out.checked;
    document_check{rule, rules.targets(), related, out}.run(document, at);
  }
}

} // namespace

void document_check::report(const place& at, const json::value* value,
                            std::string message) {
  ++(rule_.level == invariant_level::warning ? out_.warnings : out_.errors);
  if (out_.broken.size() < broken_rules_kept)
    out_.broken.push_back(
      {.rule = &rule_,
       .pointer = to_pointer(at),
       .path = to_path(at),
       .value = value == nullptr ? "" : shorten_value(*value),
       .message = std::move(message)});
}

void document_check::judge(const json::value& value, const place& at,
                           const json::value& document) {
  const auto* same = std::get_if<same_value_rule>(&rule_.rule);
  if (same == nullptr) {
    if (auto wrong = what_is_wrong(rule_.rule, value); !wrong.empty())
      report(at, &value, std::move(wrong));
    return;
  }
  const auto& target = targets_[same->target];
  const auto* own
    = target.scope == rule_.scope ? find_value(target.path, document) : nullptr;
  const bool equal = target.scope == rule_.scope
                       ? own != nullptr && *own == value
                       : related_.has_value(same->target, value);
  if (!equal)
    report(at, &value,
           "must be the same as "
             + rule_.rule_text.substr(3, rule_.rule_text.size() - 4));
}

void document_check::judge_unique(const json::value& document,
                                  const place& at) {
  std::unordered_map<std::string, std::string> first; // value to its path
  visit_path(
    rule_.path, document, at, [&](const json::value* value, const place& here) {
      if (value == nullptr)
        return report(here, nullptr, "is missing");
      const auto [found, is_new] = first.try_emplace(json::serialize(*value));
      if (is_new)
        found->second = to_path(here);
      else
        report(here, value, "must not be the same as " + found->second);
    });
}

void document_check::run(const json::value& document, const place& at) {
  if (const auto* program = std::get_if<program_rule>(&rule_.rule))
    return judge_program(*program, document, at);
  if (std::holds_alternative<unique_rule>(rule_.rule))
    return judge_unique(document, at);
  visit_path(rule_.path, document, at,
             [&](const json::value* value, const place& here) {
               if (value != nullptr)
                 judge(*value, here, document);
               else if (!rule_.when_present)
                 report(here, nullptr, "is missing");
             });
}

rules_outcome check_rules(const rule_set& rules, invariant_scope scope,
                          const json::value& document,
                          const related_documents& related) {
  rules_outcome out;
  const place root;
  check_all(rules, scope, document, root, related, out);
  const auto* event = document.if_object();
  if (scope != invariant_scope::event || event == nullptr
      || text_of(*event, "event_family") != "external_integration")
    return out;
  const auto* payload = event->if_contains("payload");
  if (payload == nullptr)
    return out;
  if (const auto carried = scope_of(guess_schema(*payload), *payload)) {
    const place here{&root, "payload", {}};
    check_all(rules, *carried, *payload, here, related, out);
  }
  return out;
}

} // namespace convene::protocol
