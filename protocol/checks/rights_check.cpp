#include <convene/protocol/checks/rights_check.hpp>
#include <convene/protocol/checks/session_facts.hpp>
#include <convene/protocol/security/capability.hpp>

#include <algorithm>

namespace convene::protocol {
namespace {

constexpr std::string_view rights_rule = "write_allowed";

} // namespace

void rights_check::feed(std::string_view type, const indexed_members& payload,
                        const report_finding& report) {
  if (is_same(type, "MAPSessionStarted")) {
    start(object_of(payload, "spec"));
  } else if (is_same(type, "MAPTurnDispatched")) {
    if (const auto step = text_of(payload, "step_id"); !step.empty())
      working_.insert_or_assign(
        std::string{text_of(payload, "token_id")},
        std::pair{std::string{step},
                  std::string{text_of(payload, "participant_id")}});
  } else if (is_same(type, "MAPTurnCompleted")) {
    if (const auto open = working_.find(text_of(payload, "token_id"));
        open != working_.end())
      working_.erase(open);
  } else if (is_same(type, "resource_written")) {
    write(payload, report);
  }
}

void rights_check::start(const json::object& spec) {
  // A participant names its role by id or by name.
  std::map<std::string_view, const json::object*> roles;
  for (const auto& each : array_of(spec, "roles"))
    if (const auto* role = each.if_object())
      for (const auto* word : {"role_id", "name"})
        roles.emplace(text_of(*role, word), role);
  for (const auto& each : array_of(object_of(spec, "collab"), "participants")) {
    const auto* person = each.if_object();
    const auto role = person == nullptr || !person->contains("role_id")
                        ? roles.end()
                        : roles.find(text_of(*person, "role_id"));
    if (role == roles.end() || !role->second->contains("capabilities"))
      continue;
    auto& list = granted_[std::string{text_of(*person, "participant_id")}];
    for (const auto one : texts_of(*role->second, "capabilities"))
      list.emplace_back(one);
  }
}

void rights_check::write(const json::object& payload,
                         const report_finding& report) const {
  const auto who = text_of(payload, "participant_id");
  const auto what = text_of(payload, "resource_type");
  if (const auto list = granted_.find(who);
      list != granted_.end()
      && std::ranges::none_of(list->second, [&](const auto& one) {
           return grants(one, what, "write");
         }))
    report(rights_rule, "participant " + quote(who)
                          + " writes a resource of type " + quote(what)
                          + ", which its role does not let it");
  if (what != "plan_step" || payload.contains("conflict_id"))
    return;
  for (const auto& [token, turn] : working_)
    if (const auto& [step, holder] = turn;
        step == text_of(payload, "resource_id") && holder != who)
      report(rights_rule, "participant " + quote(who) + " writes step "
                            + quote(step) + ", on which a turn of "
                            + quote(holder) + " works");
}

} // namespace convene::protocol
