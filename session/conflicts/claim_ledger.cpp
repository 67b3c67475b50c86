#include <convene/session/conflicts/claim_ledger.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace convene::session {

void claim_ledger::append(const writing& by, const protocol::claim& what,
                          protocol::claim_event event) {
  event.act = act_of(*who_, by, name_of(what));
  event.graph_id = who_->scenario().collab.context_id;
  event.unwritten = !resources_->is_written(name_of(what));
  event.input = by.input;
  log_->append(event);
}

bool claim_ledger::take(const writing& by, const protocol::reply& reply) {
  if (reply.claim_all && !can_take_all(by, reply))
    return false;
  for (const auto& what : reply.claim)
    attempt(by, what);
  return true;
}

/// Judges all of them before the first is taken, and refuses all if it has to:
/// those that could be had, as `claim_all`.
bool claim_ledger::can_take_all(const writing& by,
                                const protocol::reply& reply) {
  std::vector<std::optional<objection>> faults;
  std::set<resource_key> added;
  bool can = true;
  for (const auto& what : reply.claim) {
    const resource_key key{what.resource_type, what.resource_id};
    // What is named twice is claimed once.
    const auto before = claims_.size() + added.size() - added.count(key);
    const auto& why = faults.emplace_back(why_not(by, what, before));
    can = can && !why;
    if (claims_.holder(name_of(what)) == no_participant)
      added.insert(key);
  }
  if (can)
    return true;
  const objection together{
    .code = "claim_all",
    .message = "the reply claims all or nothing, and not all can be had"};
  for (std::size_t i = 0; i < faults.size(); ++i)
    refuse(by, reply.claim[i], faults[i].value_or(together));
  return false;
}

void claim_ledger::attempt(const writing& by, const protocol::claim& what) {
  if (const auto why = why_not(by, what, claims_.size()))
    refuse(by, what, *why);
  else
    carry_out(by, what);
}

std::optional<objection> claim_ledger::why_not(const writing& by,
                                               const protocol::claim& what,
                                               std::size_t claims_before) {
  const auto name = name_of(what);
  const auto holder = claims_.holder(name);
  if (holder != no_participant && holder != by.who)
    return conflict_with(holder, "resource_claimed",
                         "another participant holds a claim on it");
  const bool gives = what.release || !what.to.empty();
  if (gives && holder != by.who)
    return objection{.code = "claim_not_held",
                     .message = "nobody holds a claim on it"};
  if (what.release)
    return std::nullopt;
  const auto to = receiver_of(by, what);
  if (!who_->can_act(to))
    return objection{.code = "participant_unknown",
                     .message = "no participant that can act has this id"};
  if (!allowed_->may_write(who_->scenario(), to, what.resource_type))
    return conflict_with(no_participant, "permission_denied",
                         "the role lacks the capability to write this type");
  if (holder == no_participant && claims_before >= claims_max)
    return objection{.code = "claims_max",
                     .message = "the session has too many claims"};
  if (auto room = resources_->check_room(name, 0); !room)
    return objection_of(std::move(room).error());
  return std::nullopt;
}

void claim_ledger::refuse(const writing& by, const protocol::claim& what,
                          const objection& why) {
  if (why.is_conflict)
    return disputes_->reject(by, what, why);
  append(by, what,
         {.kind = protocol::claim_event_kind::refused,
          .execution_id = log_->next_id(),
          .claim = &what,
          .error_code = why.code,
          .error_message = why.message});
  log_->notify(by.who, by.token, "claim_refused", why.code);
}

void claim_ledger::carry_out(const writing& by, const protocol::claim& what) {
  const auto name = name_of(what);
  if (what.release) {
    claims_.release(name);
    return append(by, what,
                  {.kind = protocol::claim_event_kind::released,
                   .reason = "released"});
  }
  const auto to = receiver_of(by, what);
  const bool renewed = claims_.holder(name) != no_participant;
  const auto until = end_of_new();
  claims_.take(name, {.holder = to, .expires_at = until});
  append(by, what,
         {.kind = to != by.who ? protocol::claim_event_kind::handed_over
                               : protocol::claim_event_kind::taken,
          .renewed = renewed,
          .to = to != by.who ? who_->name_of(to) : protocol::actor_name{},
          .expires_at = until});
}

/// Who has the claim then.
participant_index claim_ledger::receiver_of(const writing& by,
                                            const protocol::claim& what) const {
  return what.to.empty() ? by.who : find_participant(who_->scenario(), what.to);
}

protocol::timestamp_ms claim_ledger::end_of_new() const {
  return log_->now()
         + who_->scenario().options.claim_timeout_ms.value_or(
           claim_timeout_ms_default);
}

void claim_ledger::end(const resource_key& what, std::string_view reason) {
  const auto name = name_of(what);
  const auto holder = claims_.holder(name);
  claims_.release(name);
  append(writing{.who = holder},
         {.resource_type = what.type, .resource_id = what.id},
         {.kind = protocol::claim_event_kind::released, .reason = reason});
}

void claim_ledger::end_all_of(participant_index lost) {
  for (const auto& what : claims_.held_by(lost))
    end(what, "holder_lost");
}

void claim_ledger::end_expired() {
  while (const auto expired = claims_.expired(log_->now()))
    end(*expired, "expired");
}

void claim_ledger::pass(participant_index from, participant_index to,
                        const open_request& held) {
  for (const auto& what : claims_.held_by(from))
    pass_one(what, from, to, held);
}

void claim_ledger::pass_one(const resource_key& what, participant_index from,
                            participant_index to, const open_request& held) {
  if (!allowed_->may_write(who_->scenario(), to, what.type))
    return end(what, "released");
  const auto until = end_of_new();
  claims_.take(name_of(what), {.holder = to, .expires_at = until});
  append({.who = from, .turn_number = held.turn_number, .token = held.token},
         {.resource_type = what.type, .resource_id = what.id},
         {.kind = protocol::claim_event_kind::handed_over,
          .renewed = true,
          .to = who_->name_of(to),
          .expires_at = until});
}

protocol::timestamp_ms
claim_ledger::deadline(protocol::timestamp_ms next) const {
  return std::min(next, claims_.earliest().value_or(next));
}

} // namespace convene::session
