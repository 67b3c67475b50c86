#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/session/options/application_strategy.hpp>
#include <convene/session/spec/activation.hpp>
#include <convene/session/spec/modules.hpp>
#include <convene/session/spec/refusal.hpp>
#include <convene/session/spec/security.hpp>
#include <convene/session/spec/workspace_start.hpp>

#include <algorithm>
#include <set>
#include <string_view>

namespace convene::session {
namespace {

using protocol::result;

/// Empty, or white space alone.
bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\n\v\f\r") == text.npos;
}

result<void> check_participants(const spec& what) {
  const auto& all = what.collab.participants;
  if (all.size() > participants_max)
    return refuse_start("participants_max", "/collab/participants",
                        "a session has at most "
                          + std::to_string(participants_max) + " participants",
                        std::to_string(all.size()));
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto at = "/collab/participants/" + std::to_string(i);
    // Without an id at all the codec refuses it.
    if (!all[i].participant_id.empty() && is_blank(all[i].participant_id))
      return refuse_start(
        "participant_id_blank", at + "/participant_id",
        "an id of white space alone cannot be told apart; write a "
        "name",
        all[i].participant_id);
    if (!seen.insert(all[i].participant_id).second)
      return refuse_start(
        "map_unique_participant_ids", at + "/participant_id",
        "two participants have the same id; give each its own",
        all[i].participant_id);
    if (!all[i].role_id || is_blank(*all[i].role_id))
      return refuse_start("map_participants_have_role_ids", at + "/role_id",
                          "participant " + all[i].participant_id
                            + " needs a role_id to take part");
  }
  return {};
}

result<void> check_known(const spec& what) {
  const auto& o = what.options;
  auto known = [&](const std::string& name,
                   const std::string& id) -> result<void> {
    if (find_participant(what, id) != no_participant)
      return {};
    return refuse_start("known_participant", "/session/" + name,
                        "no participant of the collab has this id", id);
  };
  for (const auto& [name, id] : {std::pair{"orchestrator", o.orchestrator},
                                 {"deputy", o.deputy},
                                 {"initiator", o.initiator}})
    if (id)
      if (auto ok = known(name, *id); !ok)
        return ok;
  for (const auto& [role, id] : o.assign)
    if (auto ok = known("assign/" + role, id); !ok)
      return ok;
  return {};
}

result<void> check_roles(const spec& what) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < what.roles.size(); ++i)
    if (!seen.insert(what.roles[i].role_id).second)
      return refuse_start("unique_role_id",
                          "/roles/" + std::to_string(i) + "/role_id",
                          "two Roles have the same id; give each its own",
                          what.roles[i].role_id);
  return {};
}

result<void> check_decisions(const protocol::confirm& confirm,
                             const std::string& pointer) {
  std::set<std::string_view> seen;
  if (confirm.decisions)
    for (std::size_t i = 0; i < confirm.decisions->size(); ++i)
      if (const auto& one = (*confirm.decisions)[i];
          !seen.insert(one.decision_id).second)
        return refuse_start(
          "unique_decision_id",
          pointer + "/decisions/" + std::to_string(i) + "/decision_id",
          "two decisions have the same id; give each its own", one.decision_id);
  return {};
}

result<void> check_decisions(const spec& what) {
  for (std::size_t i = 0; i < what.extension_confirms.size(); ++i)
    if (auto ok = check_decisions(what.extension_confirms[i],
                                  "/extension_confirms/" + std::to_string(i));
        !ok)
      return ok;
  return what.confirm ? check_decisions(*what.confirm, "/confirm")
                      : result<void>{};
}

result<void> check_counts(const spec& what, const roster& who,
                          const routing_policy& policy) {
  const auto acting = std::to_string(who.acting);
  if (who.acting == 0)
    return refuse_start(
      "map_min_participants", "/collab/participants",
      "a session needs a participant that is not of kind system", acting);
  const auto mode = what.collab.mode;
  auto acts = [&](participant_index i) {
    return i != no_participant
           && what.collab.participants[i].kind
                != protocol::participant_kind::system;
  };
  const auto others = who.acting - (acts(who.initiator) ? 1 : 0);
  if (others == 0
      && (mode == protocol::mode::broadcast || mode == protocol::mode::swarm))
    return refuse_start("map_session_requires_multiple_participants",
                        "/collab/participants",
                        "this mode needs a participant besides the initiator",
                        acting);
  if (mode == protocol::mode::pair && who.acting != 2)
    return refuse_start("pair_participants", "/collab/participants",
                        "pair mode needs exactly two participants that act",
                        acting);
  if (policy.needs_orchestrator && !acts(who.orchestrator))
    return refuse_start(
      "map_orchestrator_required", "/collab/participants",
      "no orchestrator found that acts: name one in "
      "session.orchestrator, or give a role the capability collab.orchestrate");
  return {};
}

result<void> check_plan_runs(const spec& what) {
  if (!what.plan && what.confirm)
    return refuse_start(
      "plan_confirmed", "/confirm",
      "the confirm is about a plan that the session does not have",
      what.confirm->target_id);
  if (!what.plan)
    return {};
  const auto& plan = *what.plan;
  if (auto ok = protocol::check_plan(plan); !ok) {
    auto why = std::move(ok).error();
    return refuse_start("plan_steps", "/plan" + why.pointer, why.message,
                        why.value);
  }
  if (plan.context_id != what.context.context_id)
    return refuse_start("context_binding", "/plan/context_id",
                        "the plan belongs to another context than the session",
                        plan.context_id);
  using enum protocol::plan_status;
  if (is_final(plan.status))
    return refuse_start(
      "plan_status", "/plan/status",
      "a plan that has ended cannot run again; make a new one",
      std::string{to_word(plan.status)});
  const bool waits = plan.status == draft || plan.status == proposed;
  if (waits && what.confirm
      && (what.confirm->status == protocol::confirm_status::rejected
          || what.confirm->status == protocol::confirm_status::cancelled))
    return refuse_start("plan_confirmed", "/confirm/status",
                        "the plan was not approved",
                        std::string{to_word(what.confirm->status)});
  if (what.confirm && what.confirm->target_id != plan.plan_id)
    return refuse_start("plan_confirmed", "/confirm/target_id",
                        "the confirm is about something else than the plan",
                        what.confirm->target_id);
  return {};
}

/// Work for a role that nobody has would go to anybody.
result<void> check_work(const spec& what, const roster& who) {
  std::set<std::string_view> known;
  // Plans have thousands of steps of the same roles, and hardly one is refused.
  const auto check = [&](std::string_view role,
                         const auto& pointer) -> result<void> {
    if (role.empty() || !known.insert(role).second)
      return {};
    auto why = why_nobody_fits(what, who, role);
    if (why.empty())
      return {};
    return refuse_start("known_role", pointer(),
                        why + ", or map it with session.assign", role);
  };
  for (std::size_t i = 0; i < what.tasks.size(); ++i)
    if (auto ok
        = check(what.tasks[i].role,
                [i] { return "/tasks/" + std::to_string(i) + "/role"; });
        !ok)
      return ok;
  if (!what.plan)
    return {};
  const auto& steps = what.plan->steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool is_open = steps[i].status == protocol::step_status::pending
                         || steps[i].status
                              == protocol::step_status::in_progress;
    if (!is_open || !steps[i].agent_role)
      continue;
    if (auto ok = check(
          *steps[i].agent_role,
          [i] { return "/plan/steps/" + std::to_string(i) + "/agent_role"; });
        !ok)
      return ok;
  }
  return {};
}

/// Nothing may change in what is locked, and a Plan is locked with its Context.
result<void> check_locks(const spec& what, const routing_policy& policy) {
  const auto locked = [](const auto& document) {
    return document.governance && document.governance->locked.value_or(false);
  };
  const auto refuse_locked = [](const std::string& name,
                                const std::string& change) {
    return refuse_start("locked", "/" + name + "/governance/locked",
                        "governance.locked freezes the " + name
                          + ", and a session would " + change
                          + "; unlock it to run it",
                        "true");
  };
  using enum protocol::plan_status;
  if (locked(what.collab))
    return refuse_locked("collab", "change its status");
  if (locked(what.context)
      && (what.plan || !what.tasks.empty() || policy.needs_plan))
    return refuse_locked("context",
                         "change a Plan, which is locked with its Context");
  const bool approves
    = what.plan && what.confirm
      && (what.plan->status == draft || what.plan->status == proposed)
      && what.confirm->status == protocol::confirm_status::pending;
  if (approves && locked(*what.confirm))
    return refuse_locked("confirm", "decide on it");
  return {};
}

result<void> check_rules(const spec& what, const roster& who,
                         const routing_policy& policy) {
  using protocol::collab_status;
  const auto& collab = what.collab;
  if (collab.status != collab_status::draft
      && collab.status != collab_status::active)
    return refuse_start("collab_status", "/collab/status",
                        "only a draft or active collab can be run",
                        std::string{to_word(collab.status)});
  if (what.context.status != protocol::context_status::active)
    return refuse_start("context_active", "/context/status",
                        "a session runs only in an active context",
                        std::string{to_word(what.context.status)});
  if (collab.context_id != what.context.context_id)
    return refuse_start("context_binding", "/collab/context_id",
                        "the collab belongs to another context",
                        collab.context_id);
  const auto steps = what.tasks.size()
                     + (what.plan ? what.plan->steps.size() : 0);
  if (steps > steps_max)
    return refuse_start(
      "steps_max", what.tasks.empty() ? "/plan/steps" : "/tasks",
      "a plan has at most " + std::to_string(steps_max) + " steps",
      std::to_string(steps));
  if (auto ok = check_participants(what); !ok)
    return ok;
  if (auto ok = check_roles(what); !ok)
    return ok;
  if (auto ok = check_decisions(what); !ok)
    return ok;
  if (auto ok = check_known(what); !ok)
    return ok;
  if (auto ok = check_strategy(what.options.conflicts); !ok)
    return ok;
  if (auto ok = check_counts(what, who, policy); !ok)
    return ok;
  if (auto ok = check_plan_runs(what); !ok)
    return ok;
  if (auto ok = check_locks(what, policy); !ok)
    return ok;
  if (auto ok = check_modules(what, policy); !ok)
    return ok;
  if (auto ok = check_security(what, who, policy); !ok)
    return ok;
  if (auto ok = check_work(what, who); !ok)
    return ok;
  if (auto made = make_workspace(what); !made)
    return tl::unexpected(std::move(made).error());
  return {};
}

} // namespace

result<spec_text> may_activate(const spec& what, const roster& who,
                               const routing_policy& policy) {
  auto allowed = check_rules(what, who, policy);
  if (!allowed)
    return tl::unexpected(std::move(allowed).error());
  auto text = encode_text(what);
  if (text)
    return text;
  auto& why = text.error();
  return refuse_start(std::move(why.rule), std::move(why.pointer),
                      std::move(why.message), why.value);
}

} // namespace convene::session
