// Claims: who alone may write a resource for a while. They are taken with a
// reply or in the middle of a turn, expire, and can be given back or on.

#include <convene/session/machine/append.hpp>
#include <convene/session/spec/normalise.hpp>

#include <utility>

namespace convene::session {
namespace {

resource_name named(const protocol::claim& what) {
  return {what.resource_type, what.resource_id};
}

} // namespace

void machine::log_claim(const writing& by, const protocol::claim& what,
                        protocol::claim_event event) {
  event.act = {.resource_type = what.resource_type,
               .resource_id = what.resource_id,
               .who = name_of(by.who),
               .turn_number = by.turn_number,
               .token_id = by.token};
  event.graph_id = spec_.collab.context_id;
  event.input = by.input;
  append(event);
}

void machine::take_claims(participant_index who, const protocol::reply& reply) {
  if (reply.claim.empty())
    return;
  const auto& open = *slots_[who].open;
  const writing by{.who = who,
                   .turn_number = open.turn_number,
                   .token = open.token,
                   .allowed = open.may_write};
  for (const auto& what : reply.claim)
    attempt(by, what);
}

void machine::on(claim_attempt&& c) {
  if (c.from >= slots_.size()) {
    ++tally_.refused;
    return;
  }
  protocol::reply wrapped{.claim = {std::move(c.what)}};
  normalise(wrapped);
  if (wrapped.claim.empty() || policy_->takes_turns) {
    ++tally_.refused;
    out_->notices.push_back(
      {c.from, c.token, "claim_refused",
       wrapped.claim.empty() ? wrapped.error.code : "claim_not_supported"});
    return;
  }
  const auto& what = wrapped.claim.front();
  const auto& open = slots_[c.from].open;
  writing by{.who = c.from, .token = c.token, .input = true};
  if (open && open->token == c.token && open->kind == request_kind::turn) {
    by.turn_number = open->turn_number;
    by.allowed = open->may_write;
    return attempt(by, what);
  }
  if (too_many_violations(c.from))
    return;
  const bool stale = c.token == slots_[c.from].last_token;
  reject(by, what, stale ? "stale_token" : "exclusive_write_violation",
         no_participant,
         stale ? "the request had closed before the claim came"
               : "the claim names no live request of its sender");
}

void machine::attempt(const writing& by, const protocol::claim& what) {
  const auto name = named(what);
  const auto holder = shared_.claims.holder(name);
  auto refuse = [&](std::string_view code, std::string_view message) {
    log_claim(by, what,
              {.kind = protocol::claim_event_kind::refused,
               .execution_id = next_id(),
               .claim = &what,
               .error_code = code,
               .error_message = message});
    out_->notices.push_back(
      {by.who, by.token, "claim_refused", std::string{code}});
  };
  if (holder != no_participant && holder != by.who)
    return reject(by, what, "resource_claimed", holder,
                  "another participant holds a claim on it");
  const bool gives = what.release || !what.to.empty();
  if (gives && holder != by.who)
    return refuse("claim_not_held", "nobody holds a claim on it");
  if (what.release) {
    shared_.claims.release(name);
    return log_claim(by, what,
                     {.kind = protocol::claim_event_kind::released,
                      .reason = "released"});
  }
  const auto to = what.to.empty() ? by.who : find_participant(spec_, what.to);
  if (to == no_participant || !participants_[to].can_act())
    return refuse("participant_unknown",
                  "no participant that can act has this id");
  if (!shared_.allowed.may_write(spec_, to, what.resource_type))
    return reject(by, what, "permission_denied", no_participant,
                  "the role lacks the capability to write this type");
  if (holder == no_participant && shared_.claims.size() >= claims_max)
    return refuse("claims_max", "the session has too many claims");
  if (auto good = shared_.resources.check_room(name, 0); !good)
    return refuse(good.error().rule, good.error().message);
  const auto until
    = now_ + spec_.options.claim_timeout_ms.value_or(claim_timeout_ms_default);
  shared_.claims.take(name, {.holder = to, .expires_at = until});
  log_claim(by, what,
            {.kind = to != by.who ? protocol::claim_event_kind::handed_over
                                  : protocol::claim_event_kind::taken,
             .renewed = holder != no_participant,
             .to = to != by.who ? name_of(to) : protocol::actor_name{},
             .expires_at = until});
}

void machine::end_claim(const resource_key& what, std::string_view reason) {
  const resource_name name{what.type, what.id};
  const auto holder = shared_.claims.holder(name);
  shared_.claims.release(name);
  log_claim(writing{.who = holder},
            {.resource_type = what.type, .resource_id = what.id},
            {.kind = protocol::claim_event_kind::released, .reason = reason});
}

void machine::end_claims_of(participant_index who) {
  for (const auto& what : shared_.claims.held_by(who))
    end_claim(what, "holder_lost");
}

} // namespace convene::session
