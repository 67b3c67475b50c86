#include <convene/protocol/json/members.hpp>
#include <convene/protocol/lifecycle/record.hpp>
#include <convene/protocol/lifecycle/rounds.hpp>
#include <convene/protocol/lifecycle/tables.hpp>

#include <algorithm>

namespace convene::protocol {
namespace {

confirm_status as_confirm(decision_status status) {
  switch (status) {
    case decision_status::approved:
      return confirm_status::approved;
    case decision_status::rejected:
      return confirm_status::rejected;
    case decision_status::cancelled:
      break;
  }
  return confirm_status::cancelled;
}

} // namespace

confirm_status settled_status(std::span<const decision_status> decisions,
                              const lifecycle_policy& policy) {
  for (const auto one : decisions)
    if (!policy.several_rounds || one != decision_status::rejected)
      return as_confirm(one);
  return confirm_status::pending;
}

result<decided_confirm> decide(const confirm& before,
                               const confirm_decision& decision,
                               const lifecycle_policy& policy) {
  decided_confirm made{.after = before};
  auto& all = made.after.decisions;
  if (!all)
    all.emplace();
  if (std::ranges::find(*all, decision.decision_id,
                        &confirm_decision::decision_id)
      != all->end())
    return fail({.code = errc::not_allowed,
                 .message = "confirm " + quote(before.confirm_id)
                            + ": decision " + quote(decision.decision_id)
                            + " was made before; give the new one an id of "
                              "its own",
                 .pointer = "/decisions",
                 .rule = "decision_written_once"});
  all->push_back(decision);
  std::vector<decision_status> statuses;
  for (const auto& one : *all)
    statuses.push_back(one.status);
  const bool open = before.status == confirm_status::pending;
  const auto settled = open ? settled_status(statuses, policy)
                            : as_confirm(decision.status);
  status_change change{.id = before.confirm_id,
                       .from = to_word(before.status),
                       .to = to_word(settled),
                       .locked = before.governance
                                 && before.governance->locked.value_or(false),
                       .holds = {precondition::decided}};
  record_decision(change, decision.decision_id, made.events);
  if (settled != confirm_status::pending || change.locked) {
    if (change.locked)
      change.to = to_word(as_confirm(decision.status));
    auto moved = transition(tables::confirm, change, policy);
    if (!moved)
      return fail(moved.error());
    made.events.insert(made.events.end(), moved->begin(), moved->end());
  }
  made.after.status = settled;
  if (before.target_type == confirm_target::plan) {
    if (decision.status == decision_status::approved)
      made.plan_becomes = plan_status::approved;
    else if (decision.status == decision_status::rejected)
      made.plan_becomes = plan_status::draft;
  }
  return made;
}

} // namespace convene::protocol
