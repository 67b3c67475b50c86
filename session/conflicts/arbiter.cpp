#include <convene/session/conflicts/application_ruling.hpp>
#include <convene/session/conflicts/arbiter.hpp>
#include <convene/session/conflicts/deciders.hpp>
#include <convene/session/conflicts/write_checks.hpp>
#include <convene/session/spec/workspace_start.hpp>
#include <convene/session/workspace/size.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace convene::session {

void arbiter::open() {
  if (who_->scenario().workspace.empty())
    return;
  *resources_ = *make_workspace(who_->scenario()); // activation has tried it
  log_->append(
    protocol::workspace_opened{.graph_id = who_->scenario().collab.context_id,
                               .resources = who_->scenario().workspace.size()});
}

void arbiter::take_claims_and_writes(participant_index from,
                                     const protocol::reply& reply,
                                     bool completed) {
  const auto by = writing_of(from);
  if (!completed || claims_.take(by, reply))
    return take_writes(from, reply, completed);
  for (const auto& what : reply.writes)
    disputes_.object(by, what,
                     {.code = "claim_all",
                      .message = "it goes with claims that were not taken"});
}

void arbiter::take_writes(participant_index from, const protocol::reply& reply,
                          bool completed) {
  if (reply.writes.empty())
    return;
  const auto by = writing_of(from);
  if (!completed) {
    log_->notify(from, by.token, "writes_ignored",
                 "the reply did not complete");
    return;
  }
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

void arbiter::attempt(const writing& by, const protocol::resource_write& what) {
  if (const auto why = why_not(by, what))
    return disputes_.object(by, what, *why);
  const auto name = name_of(what);
  const auto standing = resources_->find(name);
  const auto version = standing ? standing->version : 0;
  const auto base = static_cast<std::uint64_t>(what.base_version);
  if (base > version)
    return disputes_.object(
      by, what,
      {.code = "base_version_unknown",
       .message = "there is no version " + std::to_string(what.base_version)
                  + ", the latest is " + std::to_string(version)});
  if (checks::is_outdated(base, version))
    return contest(by, what);
  auto made = steps_.make(what, steps_.seen_at(what, standing));
  if (!made)
    return disputes_.object(by, what, objection_of(std::move(made).error()));
  if (auto room = resources_->check_room(name, size_of(*made)); !room)
    return disputes_.object(by, what, objection_of(std::move(room).error()));
  accept(by, what, *made);
}

/// Why it does not count, whatever its base version.
std::optional<objection>
arbiter::why_not(const writing& by, const protocol::resource_write& what) {
  constexpr auto no_right = "exclusive_write_violation";
  const auto name = name_of(what);
  if (!by.allowed)
    return conflict_with(no_participant, no_right,
                         "this turn gives no right to write");
  if (!checks::is_permitted(allowed_, who_->scenario(), by, name.type))
    return conflict_with(no_participant, "permission_denied",
                         "the role lacks the capability to write this type");
  const auto* open = requests_->find(by.who);
  if (open != nullptr && !may_write(*open->terms, name))
    return conflict_with(no_participant, no_right,
                         "the turn may write only the resources that it names");
  if (open != nullptr && is_handed_on(*open->terms))
    if (const auto other = other_naming(by.who, name); other != no_participant)
      return conflict_with(other, no_right,
                           "another turn that is open names the resource");
  if (!steps_.is_of_task(by.who, name))
    return conflict_with(
      no_participant, no_right,
      "the turn may write only the resources that its task names");
  if (const auto holder = claims_.holder(name);
      checks::is_of_another(holder, by.who))
    return conflict_with(holder, "resource_claimed",
                         "another participant holds a claim on it");
  if (open_.is_disputed(name))
    return conflict_with(resources_->find(name)->by.participant,
                         "concurrent_modification",
                         "the resource waits for a conflict to be settled");
  return steps_.why_not(by.who, what);
}

/// Who has an open turn that names it, other than `who`.
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
                     const written& made, const won_conflict& won) {
  writes_.accept(by, what, made, steps_.step_of(what),
                 claims_.holder(name_of(what)) != no_participant, won);
}

/// A write on an earlier version than the current one.
void arbiter::contest(const writing& by, const protocol::resource_write& what) {
  const auto name = name_of(what);
  auto found = find_write_conflict(
    *resources_, name, static_cast<std::uint64_t>(what.base_version));
  found.base = steps_.seen_at(what, found.base);
  auto made = steps_.make(what, found.base);
  if (found.traced && !made)
    return disputes_.object(by, what, objection_of(std::move(made).error()));
  if (!made)
    made.emplace();
  const auto& how = who_->scenario().options.conflicts;
  const auto strategy = how.strategy_for(what.resource_type);
  auto ruled = strategy == conflict_strategy::application
                 ? rule_by_application(*who_, by, what, found, *made)
                 : settle(strategy, found, *made, rank_of(*who_, by.who),
                          rank_of(*who_, found.authors));
  std::vector<participant_index> deciders;
  if (ruled.outcome == resolution_kind::ask && !has_opponents(found, by.who))
    ruled = {.reason = "nobody else has a part in it"};
  ruled = find_deciders(*who_, std::move(ruled), by.who, found, deciders);
  if (ruled.outcome == resolution_kind::join)
    made->value = ruled.joined;
  if (ruled.outcome != resolution_kind::keep)
    if (auto fits = check_room(name, *made); !fits)
      return disputes_.object(by, what, objection_of(std::move(fits).error()));
  const auto id = disputes_.detect(by, what, "concurrent_modification",
                                   found.authors, deciders);
  if (ruled.outcome != resolution_kind::ask)
    return conclude(id, by, what, found, *made, ruled);
  open_.open({.id = id,
              .by = by,
              .what = what,
              .found = std::move(found),
              .made = *std::move(made),
              .stage = ruled.strategy},
             deciders);
}

protocol::result<void> arbiter::check_room(const resource_name& what,
                                           const written& made) const {
  if (auto room = resources_->check_room(what, size_of(made)); !room)
    return room;
  return made.value ? check_fits(measure(*made.value))
                    : protocol::result<void>{};
}

void arbiter::conclude(const protocol::uuid& conflict, const writing& by,
                       const protocol::resource_write& what,
                       const write_conflict& found, const written& made,
                       const resolution& ruled,
                       std::span<const protocol::vote_cast> votes) {
  if (ruled.outcome == resolution_kind::keep)
    return disputes_.keep(conflict, by, what, found, ruled, votes);
  disputes_.replace(conflict, by, what, found, ruled, votes);
  accept(by, what, made,
         {.id = conflict,
          .replaced = ruled.outcome == resolution_kind::replace
                        ? found.current->version
                            - static_cast<std::uint64_t>(what.base_version)
                        : 0});
}

void arbiter::conclude(settled_conflict&& settled) {
  auto& [about, ruled] = settled;
  const bool wins = ruled.outcome == resolution_kind::replace;
  // The session may have moved the step while others decided.
  if (wins && !resources_->check_room(name_of(about.what), size_of(about.made)))
    ruled = {.reason = "there is no room for the later write"};
  else if (wins && !steps_.still_fits(about.what, about.found.base, about.made))
    ruled = {.reason = "the step can no longer become what was written"};
  std::vector<protocol::vote_cast> votes;
  for (const auto& one : about.votes)
    votes.push_back({(*who_)[one.voter].id, (*who_)[one.in_favour_of].id});
  conclude(about.id, about.by, about.what, about.found, about.made, ruled,
           votes);
}

answer_kind
arbiter::find_question(participant_index from, const protocol::uuid& token,
                       protocol::reply& reply, participant_index turn_holder) {
  std::optional<settled_conflict> settled;
  const auto kind = open_.take_answer(from, token, reply, turn_holder, settled);
  if (settled)
    conclude(*std::move(settled));
  return kind;
}

bool arbiter::expire_conflicts() {
  const bool any = !open_.empty();
  for (std::size_t at = 0; auto settled = open_.next_expired(at);)
    conclude(*std::move(settled));
  return any && open_.empty();
}

bool arbiter::lose_voter(participant_index who) {
  const bool any = !open_.empty();
  for (std::size_t at = 0; auto settled = open_.next_without(who, at);)
    conclude(*std::move(settled));
  return any && open_.empty();
}

void arbiter::close_conflicts(std::string_view reason) {
  while (auto settled = open_.next_closed(reason))
    conclude(*std::move(settled));
}

} // namespace convene::session
