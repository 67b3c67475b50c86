#include <convene/protocol/checks/start_check.hpp>
#include <convene/protocol/json/json_digest.hpp>

namespace convene::protocol {
namespace {

constexpr std::string_view spec_rule = "spec_matches";

std::string differs(std::string_view member, std::string_view is,
                    std::string_view expected) {
  return std::string{member} + " is " + quote(is) + ", the scenario says "
         + quote(expected);
}

} // namespace

void start_check::feed(const checked_event& e) {
  if (e.is("MAPSessionStarted")) {
    check_start(e);
    participants_ = array_of(object_of(object_of(e.payload, "spec"), "collab"),
                             "participants");
    for (const auto& each : array_of(object_of(e.payload, "spec"), "roles"))
      if (const auto* one = each.if_object())
        for (const auto* member : {"role_id", "name"})
          role_names_.emplace(text_of(*one, member), text_of(*one, "name"));
    count_ = integer_of(e.payload, "participant_count");
    initiator_role_ = text_of(e.whole, "initiator_role");
  } else if (e.is("MAPRolesAssigned")) {
    check_roles(e);
    check_initiator(e);
  }
}

void start_check::check_initiator(const checked_event& e) const {
  auto who = text_of(e.session.options, "initiator");
  if (who.empty())
    who = text_of(e.session.options, "orchestrator");
  const auto* person = e.session.find(who);
  if (person != nullptr && person->role != initiator_role_)
    e.report("roles_match", "initiator_role of MAPSessionStarted is "
                              + quote(initiator_role_) + ", the role of "
                              + quote(who) + " is " + quote(person->role));
}

void start_check::check_start(const checked_event& e) {
  const auto& spec = object_of(e.payload, "spec");
  const auto& collab = object_of(spec, "collab");
  const auto compare = [&](std::string_view member, std::string_view is,
                           std::string_view expected) {
    if (is != expected)
      e.report(spec_rule, differs(member, is, expected));
  };
  for (const auto* member : {"mode", "title", "purpose", "context_id"})
    if (collab.contains(member))
      compare(member, text_of(e.payload, member), text_of(collab, member));
  if (collab.contains("collab_id"))
    compare("session_id", text_of(e.whole, "session_id"),
            text_of(collab, "collab_id"));
  const auto digest = text_of(e.payload, "spec_sha256");
  const auto value_of = [&e](const char* member) {
    const auto* found = e.payload.if_contains(member);
    return found == nullptr ? json::value{} : *found;
  };
  if (e.payload.contains("spec_sha256")
      && digest
           != start_digest(value_of("rules"), value_of("rules_since"), spec))
    e.report("digests_match",
             "spec_sha256 is not the SHA-256 of the rules and the scenario");
  if (e.payload.contains("rules_since") && !e.payload.contains("rules"))
    e.report(spec_rule, "rules_since is there, and rules are not");
  const auto chosen = text_of(object_of(spec, "session"), "policy");
  const auto own = chosen.empty() ? text_of(collab, "mode") : chosen;
  if (!own.empty())
    compare("policy", text_of(e.payload, "policy"), own);
}

void start_check::check_roles(const checked_event& e) const {
  const auto& all = array_of(e.payload, "assignments");
  const auto size = static_cast<std::int64_t>(all.size());
  if (count_ && *count_ != size)
    e.report(spec_rule, "participant_count of MAPSessionStarted is "
                          + std::to_string(*count_) + ", "
                          + std::to_string(size) + " have roles");
  if (participants_.empty())
    return;
  if (participants_.size() != all.size())
    e.report(spec_rule,
             "the scenario has " + std::to_string(participants_.size())
               + " participants, " + std::to_string(size) + " have roles");
  for (std::size_t i = 0; i < all.size() && i < participants_.size(); ++i) {
    const auto* one = all[i].if_object();
    const auto* expected = participants_[i].if_object();
    if (one == nullptr || expected == nullptr)
      continue;
    for (const auto* member : {"participant_id", "role_id", "kind"})
      if (text_of(*one, member) != text_of(*expected, member))
        e.report(spec_rule, differs(member, text_of(*one, member),
                                    text_of(*expected, member)));
    if (const auto name = text_of(role_names_, text_of(*expected, "role_id"));
        text_of(*one, "role_name") != name)
      e.report(spec_rule,
               differs("role_name", text_of(*one, "role_name"), name));
  }
}

} // namespace convene::protocol
