// Claims: who alone may write a resource for a while. They are taken with a
// reply or in the middle of a turn, expire, and can be given back or on.

#include <convene/session/conflicts/arbiter.hpp>

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace convene::session {
namespace {

resource_name named(const protocol::claim& what) {
  return {what.resource_type, what.resource_id};
}

} // namespace

/// Why a claim cannot be carried out.
struct arbiter::claim_fault {
  std::string code;
  std::string message;
  bool conflicts = false; ///< with somebody's right, and is logged so
  participant_index other = no_participant; ///< whose
};

void arbiter::log_claim(const writing& by, const protocol::claim& what,
                        protocol::claim_event event) {
  event.act = {.resource_type = what.resource_type,
               .resource_id = what.resource_id,
               .who = who_->name_of(by.who),
               .turn_number = by.turn_number,
               .token_id = by.token};
  event.graph_id = who_->scenario().collab.context_id;
  event.unwritten = !is_written(named(what));
  event.input = by.input;
  log_->append(event);
}

bool arbiter::take_claims(participant_index from,
                          const protocol::reply& reply) {
  if (reply.claim.empty())
    return true;
  const auto by = writing_of(from);
  if (reply.claim_all && !can_take_all(by, reply))
    return false;
  for (const auto& what : reply.claim)
    attempt(by, what);
  return true;
}

/// Judges all of them before the first is taken, and refuses all if it has to:
/// those that could be had, as `claim_all`.
bool arbiter::can_take_all(const writing& by, const protocol::reply& reply) {
  std::vector<std::optional<claim_fault>> faults;
  std::set<resource_key> added;
  bool can = true;
  for (const auto& what : reply.claim) {
    const resource_key key{what.resource_type, what.resource_id};
    // What is named twice is claimed once.
    const auto before = claims_.size() + added.size() - added.count(key);
    const auto& why = faults.emplace_back(why_no_claim(by, what, before));
    can = can && !why;
    if (claims_.holder(named(what)) == no_participant)
      added.insert(key);
  }
  if (can)
    return true;
  const claim_fault together{
    .code = "claim_all",
    .message = "the reply claims all or nothing, and not all can be had"};
  for (std::size_t i = 0; i < faults.size(); ++i)
    refuse_claim(by, reply.claim[i], faults[i].value_or(together));
  return false;
}

void arbiter::attempt(const writing& by, const protocol::claim& what) {
  if (const auto why = why_no_claim(by, what, claims_.size()))
    refuse_claim(by, what, *why);
  else
    carry_out(by, what);
}

std::optional<arbiter::claim_fault>
arbiter::why_no_claim(const writing& by, const protocol::claim& what,
                      std::size_t claims_before) {
  const auto name = named(what);
  const auto holder = claims_.holder(name);
  if (holder != no_participant && holder != by.who)
    return claim_fault{.code = "resource_claimed",
                       .message = "another participant holds a claim on it",
                       .conflicts = true,
                       .other = holder};
  const bool gives = what.release || !what.to.empty();
  if (gives && holder != by.who)
    return claim_fault{.code = "claim_not_held",
                       .message = "nobody holds a claim on it"};
  if (what.release)
    return std::nullopt;
  const auto to = receiver_of(by, what);
  if (!who_->can_act(to))
    return claim_fault{.code = "participant_unknown",
                       .message = "no participant that can act has this id"};
  if (!allowed_.may_write(who_->scenario(), to, what.resource_type))
    return claim_fault{.code = "permission_denied",
                       .message
                       = "the role lacks the capability to write this type",
                       .conflicts = true};
  if (holder == no_participant && claims_before >= claims_max)
    return claim_fault{.code = "claims_max",
                       .message = "the session has too many claims"};
  if (auto room = resources_->check_room(name, 0); !room)
    return claim_fault{.code = room.error().rule,
                       .message = room.error().message};
  return std::nullopt;
}

void arbiter::refuse_claim(const writing& by, const protocol::claim& what,
                           const claim_fault& why) {
  if (why.conflicts)
    return reject(by, what, why.code, why.other, why.message);
  log_claim(by, what,
            {.kind = protocol::claim_event_kind::refused,
             .execution_id = log_->next_id(),
             .claim = &what,
             .error_code = why.code,
             .error_message = why.message});
  log_->notify(by.who, by.token, "claim_refused", why.code);
}

void arbiter::carry_out(const writing& by, const protocol::claim& what) {
  const auto name = named(what);
  if (what.release) {
    claims_.release(name);
    return log_claim(by, what,
                     {.kind = protocol::claim_event_kind::released,
                      .reason = "released"});
  }
  const auto to = receiver_of(by, what);
  const bool renewed = claims_.holder(name) != no_participant;
  const auto until = claim_end();
  claims_.take(name, {.holder = to, .expires_at = until});
  log_claim(by, what,
            {.kind = to != by.who ? protocol::claim_event_kind::handed_over
                                  : protocol::claim_event_kind::taken,
             .renewed = renewed,
             .to = to != by.who ? who_->name_of(to) : protocol::actor_name{},
             .expires_at = until});
}

/// Who has the claim then.
participant_index arbiter::receiver_of(const writing& by,
                                       const protocol::claim& what) const {
  return what.to.empty() ? by.who : find_participant(who_->scenario(), what.to);
}

protocol::timestamp_ms arbiter::claim_end() const {
  return log_->now()
         + who_->scenario().options.claim_timeout_ms.value_or(
           claim_timeout_ms_default);
}

void arbiter::end_claim(const resource_key& what, std::string_view reason) {
  const resource_name name{what.type, what.id};
  const auto holder = claims_.holder(name);
  claims_.release(name);
  log_claim(writing{.who = holder},
            {.resource_type = what.type, .resource_id = what.id},
            {.kind = protocol::claim_event_kind::released, .reason = reason});
}

void arbiter::end_claims_of(participant_index lost) {
  for (const auto& what : claims_.held_by(lost))
    end_claim(what, "holder_lost");
}

void arbiter::end_expired_claims() {
  while (const auto expired = claims_.expired(log_->now()))
    end_claim(*expired, "expired");
}

void arbiter::pass_claims(participant_index from, participant_index to,
                          const open_request& held) {
  for (const auto& what : claims_.held_by(from))
    pass_claim(what, from, to, held);
}

void arbiter::pass_claim(const resource_key& what, participant_index from,
                         participant_index to, const open_request& held) {
  if (!allowed_.may_write(who_->scenario(), to, what.type))
    return end_claim(what, "released");
  const auto until = claim_end();
  claims_.take({what.type, what.id}, {.holder = to, .expires_at = until});
  log_claim({.who = from, .turn_number = held.turn_number, .token = held.token},
            {.resource_type = what.type, .resource_id = what.id},
            {.kind = protocol::claim_event_kind::handed_over,
             .renewed = true,
             .to = who_->name_of(to),
             .expires_at = until});
}

} // namespace convene::session
