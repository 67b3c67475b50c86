// What participants write: which writes count, and how they get on the log.

#include <convene/session/conflicts/arbiter.hpp>
#include <convene/session/mutants/mutant.hpp>
#include <convene/session/spec/workspace_start.hpp>

#include <algorithm>

namespace convene::session {
namespace {

resource_name named(const protocol::resource_write& what) {
  return {what.resource_type, what.resource_id};
}

} // namespace

void arbiter::open() {
  if (who_->scenario().workspace.empty())
    return;
  *resources_ = *make_workspace(who_->scenario()); // activation has tried it
  log_->append(
    protocol::workspace_opened{.graph_id = who_->scenario().collab.context_id,
                               .resources = who_->scenario().workspace.size()});
}

void arbiter::take_writes(participant_index from, const protocol::reply& reply,
                          bool completed) {
  if (reply.writes.empty())
    return;
  const auto& open = *requests_->find(from);
  if (!completed) {
    log_->notify(from, open.token, "writes_ignored",
                 "the reply did not complete");
    return;
  }
  const auto by = writing_of(from);
  for (const auto& what : reply.writes)
    attempt(by, what);
}

writing arbiter::writing_of(participant_index from) const {
  const auto& open = *requests_->find(from);
  return {.who = from,
          .turn_number = open.turn_number,
          .token = open.token,
          .step = open.step,
          .allowed = open.may_write};
}

void arbiter::drop_writes(participant_index from,
                          const protocol::reply& reply) {
  const auto by = writing_of(from);
  for (const auto& what : reply.writes)
    refuse_write(by, what,
                 {.message = "it goes with claims that were not taken",
                  .rule = "claim_all"});
}

void arbiter::attempt(const writing& by, const protocol::resource_write& what) {
  if (!by.allowed)
    return reject(by, what, "exclusive_write_violation", no_participant,
                  "this turn gives no right to write");
  if (!off(mutant::permission_check)
      && !allowed_.may_write(who_->scenario(), by.who, what.resource_type))
    return reject(by, what, "permission_denied", no_participant,
                  "the role lacks the capability to write this type");
  const auto name = named(what);
  const auto* open = requests_->find(by.who);
  if (open != nullptr && !may_write(*open->terms, name))
    return reject(by, what, "exclusive_write_violation", no_participant,
                  "the turn may write only the resources that it names");
  if (open != nullptr && is_handed_on(*open->terms))
    if (const auto other = other_naming(by.who, name); other != no_participant)
      return reject(by, what, "exclusive_write_violation", other,
                    "another turn that is open names the resource");
  if (!is_of_task(by.who, name))
    return reject(by, what, "exclusive_write_violation", no_participant,
                  "the turn may write only the resources that its task names");
  if (const auto holder = claims_.holder(name);
      holder != no_participant && holder != by.who && !off(mutant::claim_check))
    return reject(by, what, "resource_claimed", holder,
                  "another participant holds a claim on it");
  if (is_disputed(name))
    return reject(by, what, "concurrent_modification",
                  resources_->find(name)->by.participant,
                  "the resource waits for a conflict to be settled");
  if (!admits_step(by, what))
    return;
  const auto standing = resources_->find(name);
  const auto version = standing ? standing->version : 0;
  const auto base = static_cast<std::uint64_t>(what.base_version);
  if (base > version)
    return refuse_write(
      by, what,
      {.message = "there is no version " + std::to_string(what.base_version)
                  + ", the latest is " + std::to_string(version),
       .rule = "base_version_unknown"});
  if (base < version && !off(mutant::base_version_check))
    return clash_with(by, what);
  const auto made = make(what, seen_at(what, standing));
  if (!made)
    return refuse_write(by, what, made.error());
  if (auto room = resources_->check_room(name, size_of(*made)); !room)
    return refuse_write(by, what, room.error());
  accept(by, what, *made, {});
}

participant_index arbiter::other_naming(participant_index who,
                                        const resource_name& what) const {
  const auto& open = requests_->open();
  const auto found = std::ranges::find_if(open, [&](auto i) {
    const auto& terms = *requests_->find(i)->terms;
    return i != who && terms.limited && may_write(terms, what);
  });
  return found == open.end() ? no_participant : *found;
}

void arbiter::accept(const writing& by, const protocol::resource_write& what,
                     const written& made, const protocol::uuid& conflict,
                     std::uint64_t replaced) {
  const auto name = named(what);
  requests_->note_write(by.who);
  const auto before = resources_->find(name);
  const auto after = resources_->add(
    name, made.value,
    {.participant = by.who, .turn_number = by.turn_number, .token = by.token},
    requests_->oldest_revision(), replaced);
  // A write on another base than the one that stood is logged by its result.
  // And a step's, which is more than what its writer says.
  const auto step = step_of(what);
  const bool as_it_came = conflict.is_nil() && step == no_step;
  const auto op = as_it_came       ? what.op
                  : after->deleted ? protocol::write_op::remove
                                   : protocol::write_op::put;
  const auto* value = op == protocol::write_op::remove ? nullptr
                      : as_it_came                     ? &what.value
                                                       : &after->value;
  const auto [change, delta]
    = note_in_graph(name, by.step, before && !before->deleted, after->deleted);
  log_->append(
    protocol::resource_written{.act = {.resource_type = what.resource_type,
                                       .resource_id = what.resource_id,
                                       .who = who_->name_of(by.who),
                                       .turn_number = by.turn_number,
                                       .token_id = by.token},
                               .graph_id = who_->scenario().collab.context_id,
                               .change = change,
                               .delta = delta,
                               .step_id = plan_->step_id(by.step),
                               .version = after->version,
                               .base_version = what.base_version,
                               .op = op,
                               .value = value,
                               .conflict_id = conflict,
                               .input = by.input && conflict.is_nil()});
  if (step != no_step)
    plan_->take_write(step, *after);
}

bool arbiter::is_written(const resource_name& what) const {
  const auto found = resources_->find(what);
  return found && !found->deleted;
}

/// A resource is in the graph as long as it is written or claimed.
std::pair<protocol::node_change, protocol::graph_delta>
arbiter::note_in_graph(const resource_name& what, step_index by,
                       bool was_written, bool deletes) {
  using enum protocol::node_change;
  const bool claimed = claims_.holder(what) != no_participant;
  const resource_key key{std::string{what.type}, std::string{what.id}};
  const auto known = producers_.find(key);
  if (deletes) {
    const auto lost = known == producers_.end()
                        ? 0
                        : static_cast<std::int64_t>(known->second.size());
    if (known != producers_.end())
      producers_.erase(known);
    if (claimed || !was_written)
      return {updated, {.nodes = 0, .edges = -lost}};
    return {removed, {.nodes = -1, .edges = -lost - 1}};
  }
  const bool adds = !was_written && !claimed;
  const auto gained = adds ? 1 : 0;
  if (by == no_step
      || (known != producers_.end()
          && std::ranges::find(known->second, by) != known->second.end()))
    return {adds ? added : updated, {.nodes = gained, .edges = gained}};
  producers_[key].push_back(by);
  return {adds ? added : updated, {.nodes = gained, .edges = gained + 1}};
}

void arbiter::refuse_write(const writing& by,
                           const protocol::resource_write& what,
                           const protocol::error& why) {
  log_->append(
    protocol::write_refused{.act = {.resource_type = what.resource_type,
                                    .resource_id = what.resource_id,
                                    .who = who_->name_of(by.who),
                                    .turn_number = by.turn_number,
                                    .token_id = by.token},
                            .execution_id = log_->next_id(),
                            .write = &what,
                            .error_code = why.rule,
                            .error_message = why.message,
                            .input = by.input});
  tell_lost(by, what, why.rule);
}

} // namespace convene::session
