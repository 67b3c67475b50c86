// Claims: who alone may write a resource for a while. They are taken with a
// reply or in the middle of a turn, expire, and can be given back or on.

#include <convene/session/conflicts/arbiter.hpp>

namespace convene::session {
namespace {

resource_name named(const protocol::claim& what) {
  return {what.resource_type, what.resource_id};
}

} // namespace

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

void arbiter::take_claims(participant_index from,
                          const protocol::reply& reply) {
  if (reply.claim.empty())
    return;
  const auto& open = *requests_->find(from);
  const writing by{.who = from,
                   .turn_number = open.turn_number,
                   .token = open.token,
                   .step = open.step,
                   .allowed = open.may_write};
  for (const auto& what : reply.claim)
    attempt(by, what);
}

void arbiter::attempt(const writing& by, const protocol::claim& what) {
  const auto name = named(what);
  const auto holder = claims_.holder(name);
  auto refuse = [&](std::string_view code, std::string_view message) {
    log_claim(by, what,
              {.kind = protocol::claim_event_kind::refused,
               .execution_id = log_->next_id(),
               .claim = &what,
               .error_code = code,
               .error_message = message});
    log_->notify(by.who, by.token, "claim_refused", std::string{code});
  };
  if (holder != no_participant && holder != by.who)
    return reject(by, what, "resource_claimed", holder,
                  "another participant holds a claim on it");
  const bool gives = what.release || !what.to.empty();
  if (gives && holder != by.who)
    return refuse("claim_not_held", "nobody holds a claim on it");
  if (what.release) {
    claims_.release(name);
    return log_claim(by, what,
                     {.kind = protocol::claim_event_kind::released,
                      .reason = "released"});
  }
  const auto to = what.to.empty() ? by.who
                                  : find_participant(who_->scenario(), what.to);
  if (!who_->can_act(to))
    return refuse("participant_unknown",
                  "no participant that can act has this id");
  if (!allowed_.may_write(who_->scenario(), to, what.resource_type))
    return reject(by, what, "permission_denied", no_participant,
                  "the role lacks the capability to write this type");
  if (holder == no_participant && claims_.size() >= claims_max)
    return refuse("claims_max", "the session has too many claims");
  if (auto good = resources_->check_room(name, 0); !good)
    return refuse(good.error().rule, good.error().message);
  const auto until = claim_end();
  claims_.take(name, {.holder = to, .expires_at = until});
  log_claim(by, what,
            {.kind = to != by.who ? protocol::claim_event_kind::handed_over
                                  : protocol::claim_event_kind::taken,
             .renewed = holder != no_participant,
             .to = to != by.who ? who_->name_of(to) : protocol::actor_name{},
             .expires_at = until});
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
