#include <convene/protocol/security/capability.hpp>
#include <convene/session/spec/refusal.hpp>
#include <convene/session/spec/role_index.hpp>
#include <convene/session/spec/security.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace convene::session {
namespace {

using protocol::capability_for;
using protocol::decision_status;
using protocol::operation;
using protocol::result;

constexpr std::string_view duty = "security";

bool has_duty(const protocol::metadata& meta) {
  const auto& duties = meta.cross_cutting;
  return duties && std::ranges::find(*duties, duty) != duties->end();
}

bool is_switched_on(const spec& what) {
  return has_duty(what.collab.meta);
}

/// "ann has no Role document, and needs collab.join".
std::string lack_of(std::string_view who, const protocol::role* role,
                    operation what) {
  const std::string capability{capability_for(what)};
  if (role == nullptr)
    return std::string{who} + " has no Role document, and needs one with "
           + capability;
  return std::string{who} + " needs " + capability + ", which the Role "
         + role->name + " does not list";
}

std::string with_advice(std::string lack) {
  return std::move(lack)
         + "; give it, or leave security out of the Collab's "
           "meta.cross_cutting";
}

/// The first who acts and lacks a capability; its number and why.
std::optional<std::pair<participant_index, std::string>>
find_lack(const spec& what, const role_index& roles, operation wanted) {
  const auto& all = what.collab.participants;
  for (participant_index i = 0; i < all.size(); ++i) {
    if (all[i].kind == protocol::participant_kind::system)
      continue;
    const auto* role = roles.of(all[i]);
    if (!may(role, wanted))
      return std::pair{i, lack_of(all[i].participant_id, role, wanted)};
  }
  return std::nullopt;
}

std::string place_of(participant_index who) {
  return "/collab/participants/" + std::to_string(who) + "/role_id";
}

result<void> check_everybody(const spec& what, const role_index& roles,
                             operation wanted) {
  if (auto lack = find_lack(what, roles, wanted))
    return refuse_start("capability_missing", place_of(lack->first),
                        with_advice(std::move(lack->second)),
                        std::string{capability_for(wanted)});
  return {};
}

result<void> check_leader(const spec& what, const role_index& roles,
                          participant_index who) {
  constexpr auto wanted = operation::orchestrate_session;
  if (who == no_participant)
    return {};
  const auto& leader = what.collab.participants[who];
  const auto* role = roles.of(leader);
  if (may(role, wanted))
    return {};
  return refuse_start("capability_missing", place_of(who),
                      with_advice(lack_of(leader.participant_id, role, wanted)),
                      std::string{capability_for(wanted)});
}

/// Whether two words refer to the same Role, or are the same.
bool is_same(const role_index& roles, std::string_view one,
             std::string_view other) {
  const auto* role = roles.find(one);
  return one == other || (role != nullptr && role == roles.find(other));
}

result<void> check_decisions(const protocol::confirm& confirm,
                             const role_index& roles,
                             const std::string& pointer) {
  if (!confirm.decisions)
    return {};
  std::size_t number = 0;
  for (const auto& one : *confirm.decisions) {
    const auto at = pointer + "/decisions/" + std::to_string(number++)
                    + "/decided_by_role";
    if (one.status == decision_status::cancelled)
      continue; // withdrawn, which is the requester's to do
    const auto wanted = one.status == decision_status::approved
                          ? operation::approve_confirm
                          : operation::reject_confirm;
    const auto* role = roles.find(one.decided_by_role);
    if (!may(role, wanted))
      return refuse_start("capability_missing", at,
                          with_advice(
                            lack_of(one.decided_by_role, role, wanted)),
                          std::string{capability_for(wanted)});
    if (is_same(roles, one.decided_by_role, confirm.requested_by_role))
      return refuse_start("own_confirm", at,
                          one.decided_by_role
                            + " requested the Confirm and decided on it; have "
                              "someone else decide",
                          one.decided_by_role);
  }
  return {};
}

/// Whether it is approved, and by somebody.
bool has_approval(const protocol::confirm& what) {
  return what.status == protocol::confirm_status::approved && what.decisions
         && std::ranges::find(*what.decisions, decision_status::approved,
                              &protocol::confirm_decision::status)
              != what.decisions->end();
}

/// A Plan that is given is approved by somebody who may, and not by the
/// program.
result<void> check_approval(const spec& what, const role_index& roles) {
  if (!what.plan)
    return {};
  using protocol::plan_status;
  const bool waits = what.plan->status == plan_status::draft
                     || what.plan->status == plan_status::proposed;
  const auto& confirm = what.confirm;
  if (confirm)
    if (auto ok = check_decisions(*confirm, roles, "/confirm"); !ok)
      return ok;
  if (!waits || (confirm && has_approval(*confirm)))
    return {};
  return refuse_start(
    "confirm_undecided", confirm ? "/confirm/decisions" : "/plan/status",
    "the plan waits for approval, and where security is switched on "
    "the program does not approve it; give a Confirm with the "
    "decision of a role that has confirm.approve, for example by "
    "--approval require");
}

} // namespace

bool is_secured(const spec& what) {
  return is_switched_on(what) || (what.core && has_duty(what.core->meta));
}

result<void> check_decisions(const spec& what, const protocol::confirm& confirm,
                             const std::string& pointer) {
  if (!has_approval(confirm))
    return refuse_start(
      "extension_confirmed", pointer + "/decisions",
      "the Confirm is approved, and no one has decided so; give the "
      "decision of a role that has confirm.approve");
  return check_decisions(confirm, role_index{what}, pointer);
}

result<void> check_security(const spec& what, const roster& who,
                            const routing_policy& policy) {
  if (!is_switched_on(what))
    return {};
  const role_index roles{what};
  if (auto ok = check_everybody(what, roles, operation::join_session); !ok)
    return ok;
  if (policy.needs_orchestrator)
    for (const auto leader : {who.orchestrator, who.deputy})
      if (auto ok = check_leader(what, roles, leader); !ok)
        return ok;
  if (what.plan || !what.tasks.empty() || policy.needs_plan)
    if (auto ok = check_everybody(what, roles, operation::execute_step); !ok)
      return ok;
  return check_approval(what, roles);
}

std::optional<protocol::reply_error>
why_not_permitted(const spec& what, participant_index who,
                  const protocol::reply& said) {
  if (said.tasks.empty() || !is_switched_on(what))
    return std::nullopt;
  const role_index roles{what};
  const auto& sender = what.collab.participants[who];
  const auto* role = roles.of(sender);
  if (!may(role, operation::create_plan))
    return protocol::reply_error{"capability_missing",
                                 lack_of(sender.participant_id, role,
                                         operation::create_plan)
                                   + "; leave `tasks` out"};
  // Any step may come to anybody, if the one that it was for is lost.
  if (auto lack = find_lack(what, roles, operation::execute_step))
    return protocol::reply_error{
      "capability_missing", std::move(lack->second) + "; leave `tasks` out"};
  return std::nullopt;
}

} // namespace convene::session
