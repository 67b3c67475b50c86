#include <convene/session/conflicts/conflict_details.hpp>
#include <convene/session/conflicts/dispute_log.hpp>
#include <convene/session/conflicts/text_of_members.hpp>

#include <string>
#include <vector>

namespace convene::session {
namespace {

void append_detected(journal& log, const protocol::uuid& id,
                     const resource_name& about,
                     std::span<const protocol::actor_name> sides,
                     std::string_view kind, const conflict_details& details) {
  ++log.counts().conflicts;
  const auto text = text_of_members(details);
  log.append(protocol::map_conflict_detected{.conflict_id = id,
                                             .resource_type = about.type,
                                             .resource_id = about.id,
                                             .conflicting = sides,
                                             .conflict_type = kind,
                                             .details = text.view()});
}

} // namespace

protocol::resource_act act_of(const membership& who, const writing& by,
                              const resource_name& what) noexcept {
  return {.resource_type = what.type,
          .resource_id = what.id,
          .who = who.name_of(by.who),
          .turn_number = by.turn_number,
          .token_id = by.token};
}

void dispute_log::object(const writing& by,
                         const protocol::resource_write& what,
                         const objection& why) {
  if (why.is_conflict)
    reject(by, what, why);
  else
    refuse(by, what, why);
}

void dispute_log::refuse(const writing& by,
                         const protocol::resource_write& what,
                         const objection& why) {
  log_->append(protocol::write_refused{.act = act_of(*who_, by, name_of(what)),
                                       .execution_id = log_->next_id(),
                                       .write = &what,
                                       .error_code = why.code,
                                       .error_message = why.message,
                                       .input = by.input});
  notify_lost(by, what, why.code);
}

void dispute_log::reject(const writing& by,
                         const protocol::resource_write& what,
                         const objection& why) {
  const bool alone = why.other == no_participant || why.other == by.who;
  const author others[]{{.participant = why.other}};
  const auto id = detect(by, what, why.code,
                         alone ? std::span<const author>{} : others);
  const protocol::actor_name losers[]{who_->name_of(by.who)};
  log_->append(protocol::map_conflict_resolved{
    .conflict_id = id,
    .resolution_strategy = "reject",
    .winner = alone ? protocol::actor_name{} : who_->name_of(why.other),
    .losers = losers,
    .reason = why.message});
  notify_lost(by, what, why.code);
}

void dispute_log::reject(const writing& by, const protocol::claim& what,
                         const objection& why) {
  auto claiming = by;
  claiming.claim = &what;
  reject(claiming,
         protocol::resource_write{.resource_type = what.resource_type,
                                  .resource_id = what.resource_id},
         why);
}

void dispute_log::reject_writes(participant_index from,
                                const protocol::uuid& token,
                                const protocol::reply& reply,
                                participant_index turn_holder) {
  for (const auto& what : reply.writes)
    reject({.who = from, .token = token}, what,
           conflict_with(turn_holder, "exclusive_write_violation",
                         "only a turn gives the right to write"));
}

protocol::uuid
dispute_log::detect(const writing& by, const protocol::resource_write& what,
                    std::string_view kind, std::span<const author> others,
                    std::span<const participant_index> asked) {
  const auto id = log_->next_id();
  conflict_details details{.input = !by.input  ? ""
                                    : by.claim ? "claim"
                                               : "write",
                           .participant_id = (*who_)[by.who].id,
                           .turn_number = by.turn_number,
                           .presented_token = by.token,
                           .claim = by.claim,
                           .write = by.claim ? nullptr : &what,
                           .current_version
                           = resources_->version_of(name_of(what))};
  for (const auto one : asked)
    details.asked.push_back({(*who_)[one].id});
  std::vector<protocol::actor_name> sides{who_->name_of(by.who)};
  for (const auto& other : others)
    if (other.participant != by.who)
      sides.push_back(who_->name_of(other.participant));
  append_detected(*log_, id, name_of(what), sides, kind, details);
  return id;
}

void dispute_log::keep(const protocol::uuid& conflict, const writing& by,
                       const protocol::resource_write& what,
                       const write_conflict& found, const resolution& ruled,
                       std::span<const protocol::vote_cast> votes) {
  const protocol::actor_name losers[]{who_->name_of(by.who)};
  const auto stands = found.current->by.participant;
  const bool was_written = stands != author::nobody && stands != by.who;
  log_->append(protocol::map_conflict_resolved{
    .conflict_id = conflict,
    .resolution_strategy = protocol::to_word(ruled.strategy),
    .winner = was_written ? who_->name_of(stands) : protocol::actor_name{},
    .losers = losers,
    .votes = votes,
    .reason = ruled.reason});
  notify_lost(by, what, "concurrent_modification");
}

void dispute_log::replace(const protocol::uuid& conflict, const writing& by,
                          const protocol::resource_write& what,
                          const write_conflict& found, const resolution& ruled,
                          std::span<const protocol::vote_cast> votes) {
  protocol::map_conflict_resolved event{.conflict_id = conflict,
                                        .resolution_strategy
                                        = protocol::to_word(ruled.strategy),
                                        .votes = votes,
                                        .reason = ruled.reason};
  std::vector<protocol::actor_name> losers;
  if (ruled.outcome == resolution_kind::replace) {
    event.winner = who_->name_of(by.who);
    event.overridden_versions = found.versions;
    for (const auto& one : found.authors) {
      losers.push_back(who_->name_of(one.participant));
      log_->notify(one.participant, one.token, "write_overridden",
                   what.resource_type + " " + what.resource_id);
    }
    event.losers = losers;
  }
  log_->append(event);
}

void dispute_log::notify_lost(const writing& by,
                              const protocol::resource_write& what,
                              std::string_view why) {
  log_->notify(by.who, by.token, by.claim ? "claim_refused" : "write_refused",
               std::string{why} + ": " + what.resource_type + " "
                 + what.resource_id);
}

void reject_answer(const membership& who, journal& log, participant_index from,
                   const protocol::uuid& token, const protocol::reply& reply,
                   bool late, participant_index turn_holder) {
  const auto id = log.next_id();
  std::vector<protocol::actor_name> sides{who.name_of(from)};
  if (turn_holder != no_participant && turn_holder != from)
    sides.push_back(who.name_of(turn_holder));
  append_detected(log, id, {"token", to_string(token)}, sides,
                  late ? "stale_token" : "exclusive_write_violation",
                  {.input = "answer",
                   .participant_id = who[from].id,
                   .presented_token = token,
                   .reply = &reply});
  log.append(protocol::map_conflict_resolved{
    .conflict_id = id,
    .resolution_strategy = "reject",
    .winner = sides.size() > 1 ? sides.back() : protocol::actor_name{},
    .reason = late ? "the request had closed before the answer came"
                   : "the answer names no live request of its sender"});
}

} // namespace convene::session
