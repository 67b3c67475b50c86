// Writes that may not stand, or not beside another: every conflict is on the
// log as detected and as resolved, and whoever loses is told.

#include <convene/protocol/events/event_encoding.hpp>
#include <convene/protocol/json/json_writer.hpp>
#include <convene/session/conflicts/arbiter.hpp>
#include <convene/session/workspace/size.hpp>

#include <algorithm>

namespace convene::session {

std::int64_t arbiter::rank_of(participant_index who) const {
  const auto& ranks = who_->scenario().options.conflicts.ranks;
  const auto& p = (*who_)[who];
  for (auto name : {p.id, p.role, p.role_name})
    if (const auto found = ranks.find(std::string{name}); found != ranks.end())
      return found->second;
  return 0;
}

std::int64_t arbiter::rank_of(std::span<const author> all) const {
  auto highest = -rank_max - 1;
  for (const auto& one : all)
    highest = std::max(highest, rank_of(one.participant));
  return highest;
}

void arbiter::tell_lost(const writing& by, const protocol::resource_write& what,
                        std::string_view why) {
  log_->notify(by.who, by.token, by.claim ? "claim_refused" : "write_refused",
               std::string{why} + ": " + what.resource_type + " "
                 + what.resource_id);
}

protocol::uuid
arbiter::detect(const writing& by, const protocol::resource_write& what,
                std::string_view kind, std::span<const author> others,
                std::span<const participant_index> asked) {
  ++log_->counts().conflicts;
  const auto id = log_->next_id();
  protocol::byte_buffer details;
  {
    protocol::json_writer out{details};
    out.raw("{");
    if (by.input)
      out.raw(R"("input":)").string(by.claim ? "claim" : "write").raw(",");
    out.raw(R"("participant_id":)");
    out.string((*who_)[by.who].id);
    if (by.turn_number != 0)
      out.raw(R"(,"turn_number":)").number(by.turn_number);
    out.raw(R"(,"presented_token":)").id(by.token);
    if (by.claim) {
      write_claim(out.raw(R"(,"claim":)"), *by.claim);
    } else if (by.input) {
      write_write(out.raw(R"(,"write":)"), what);
    } else {
      out.raw(R"(,"op":)").string(to_word(what.op));
      out.raw(R"(,"base_version":)").number(what.base_version);
    }
    const auto version
      = resources_->version_of({what.resource_type, what.resource_id});
    out.raw(R"(,"current_version":)");
    out.number(static_cast<std::int64_t>(version));
    for (std::size_t i = 0; i < asked.size(); ++i) {
      out.raw(i == 0 ? R"(,"asked":[)" : ",").string((*who_)[asked[i]].id);
    }
    out.raw(asked.empty() ? "}" : "]}");
  }
  std::vector<protocol::actor_name> sides{who_->name_of(by.who)};
  for (const auto& other : others)
    if (other.participant != by.who)
      sides.push_back(who_->name_of(other.participant));
  log_->append(
    protocol::map_conflict_detected{.conflict_id = id,
                                    .resource_type = what.resource_type,
                                    .resource_id = what.resource_id,
                                    .conflicting = sides,
                                    .conflict_type = kind,
                                    .details = details.view()});
  return id;
}

void arbiter::reject(const writing& by, const protocol::resource_write& what,
                     std::string_view kind, participant_index other,
                     std::string_view reason) {
  const bool alone = other == no_participant || other == by.who;
  const author others[]{{.participant = other}};
  const auto id = detect(by, what, kind,
                         alone ? std::span<const author>{} : others);
  const protocol::actor_name losers[]{who_->name_of(by.who)};
  log_->append(protocol::map_conflict_resolved{
    .conflict_id = id,
    .resolution_strategy = "reject",
    .winner = alone ? protocol::actor_name{} : who_->name_of(other),
    .losers = losers,
    .reason = reason});
  tell_lost(by, what, kind);
}

void arbiter::refuse_writes(participant_index from, const protocol::uuid& token,
                            const protocol::reply& reply,
                            participant_index turn_holder) {
  for (const auto& what : reply.writes)
    reject({.who = from, .token = token}, what, "exclusive_write_violation",
           turn_holder, "only a turn gives the right to write");
}

void arbiter::reject(const writing& by, const protocol::claim& what,
                     std::string_view kind, participant_index other,
                     std::string_view reason) {
  auto claiming = by;
  claiming.claim = &what;
  const protocol::resource_write named{.resource_type = what.resource_type,
                                       .resource_id = what.resource_id};
  reject(claiming, named, kind, other, reason);
}

void arbiter::clash_with(const writing& by,
                         const protocol::resource_write& what) {
  const resource_name name{what.resource_type, what.resource_id};
  auto found = find_write_conflict(
    *resources_, name, static_cast<std::uint64_t>(what.base_version));
  found.base = seen_at(what, found.base);
  auto made = make(what, found.base);
  if (found.traced && !made)
    return refuse_write(by, what, made.error());
  if (!made)
    made.emplace();
  auto ruled = settle(who_->scenario().options.conflicts.strategy_for(
                        what.resource_type),
                      found, *made, rank_of(by.who), rank_of(found.authors));
  std::vector<participant_index> deciders;
  if (ruled.outcome == resolution_kind::ask && !has_opponents(found, by.who))
    ruled = {.reason = "nobody else has a part in it"};
  ruled = find_deciders(std::move(ruled), by, found, deciders);
  if (ruled.outcome == resolution_kind::join)
    made->value = ruled.joined;
  if (ruled.outcome != resolution_kind::keep) {
    if (auto room = resources_->check_room(name, size_of(*made)); !room)
      return refuse_write(by, what, room.error());
    if (made->value)
      if (auto fits = check_fits(measure(*made->value)); !fits)
        return refuse_write(by, what, fits.error());
  }
  const auto id = detect(by, what, "concurrent_modification", found.authors,
                         deciders);
  if (ruled.outcome != resolution_kind::ask)
    return conclude(id, by, what, found, *made, ruled);
  put_question(conflicts_.emplace_back(open_conflict{.id = id,
                                                     .by = by,
                                                     .what = what,
                                                     .found = found,
                                                     .made = *std::move(made),
                                                     .stage = ruled.strategy}),
               deciders);
}

void arbiter::conclude(const protocol::uuid& conflict, const writing& by,
                       const protocol::resource_write& what,
                       const write_conflict& found, const written& made,
                       const resolution& ruled,
                       std::span<const protocol::vote_cast> votes) {
  const auto writer = who_->name_of(by.who);
  protocol::map_conflict_resolved event{.conflict_id = conflict,
                                        .resolution_strategy
                                        = protocol::to_word(ruled.strategy),
                                        .votes = votes,
                                        .reason = ruled.reason};
  if (ruled.outcome == resolution_kind::keep) {
    const auto& stands = found.current->by.participant;
    if (stands != author::nobody && stands != by.who)
      event.winner = who_->name_of(stands);
    event.losers = {&writer, 1};
    log_->append(event);
    return tell_lost(by, what, "concurrent_modification");
  }
  std::vector<protocol::actor_name> losers;
  std::uint64_t replaced = 0;
  if (ruled.outcome == resolution_kind::replace) {
    event.winner = writer;
    replaced = found.current->version
               - static_cast<std::uint64_t>(what.base_version);
    event.overridden_versions = found.versions;
    for (const auto& one : found.authors) {
      losers.push_back(who_->name_of(one.participant));
      log_->notify(one.participant, one.token, "write_overridden",
                   what.resource_type + " " + what.resource_id);
    }
    event.losers = losers;
  }
  log_->append(event);
  accept(by, what, made, conflict, replaced);
}

} // namespace convene::session
