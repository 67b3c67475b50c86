// Handing a turn on: the giver's turn ends as handed_off, the receiver gets a
// new one as soon as it is free.

#include <convene/session/machine/append.hpp>
#include <convene/session/orchestration/handoff_receiver.hpp>

#include <algorithm>
#include <utility>

namespace convene::session {

std::optional<protocol::reply_error>
machine::why_no_handoff(participant_index from, const protocol::reply& reply,
                        participant_index& to) const {
  if (!reply.handoff || reply.status != protocol::reply_status::completed)
    return std::nullopt;
  const auto limit = depth_max(spec_);
  if (slots_[from].open->terms->depth >= limit && !off(mutant::handoff_depth))
    return protocol::reply_error{
      "handoff_depth_max",
      "the turn was handed on " + std::to_string(limit)
        + " times already; finish it, or raise session.max_handoff_depth"};
  if (waiting_.size() >= handoffs_waiting_max)
    return protocol::reply_error{"handoffs_waiting_max",
                                 "too many turns wait for a busy receiver"};
  const auto found = find_receiver(spec_, roster_, participants_, from,
                                   reply.handoff->to);
  if (!found)
    return protocol::reply_error{found.error().rule, found.error().message};
  to = *found;
  return std::nullopt;
}

void machine::hand_off(participant_index from, participant_index to,
                       const open_request& held,
                       const protocol::handoff& what) {
  auto terms = *held.terms;
  terms.handed_by = from;
  ++terms.depth;
  terms.instructions = what.instructions;
  terms.reason = what.reason;
  dispatch next{.participant = to,
                .step = held.step,
                .task = what.instructions.empty() ? slots_[from].task
                                                  : what.instructions,
                .duty = held.duty,
                .may_write = held.may_write};
  begin_handoff(next, std::move(terms), held.token, held.turn_number);
  for (const auto& key : shared_.claims.held_by(from))
    pass_claim(key, from, to, held);
  if (held.step != no_step)
    plan_.assign(held.step, to);
  waiting_.push_back(std::move(next));
}

void machine::begin_handoff(dispatch& next, turn_terms terms,
                            const protocol::uuid& token,
                            std::uint32_t turn_number) {
  ++tally_.handoffs;
  terms.handoff_id = next_id();
  const bool on_step = next.step != no_step;
  append(protocol::map_handoff_initiated{
    .handoff_id = terms.handoff_id,
    .from = name_of(terms.handed_by),
    .to = name_of(next.participant),
    .token_id = token,
    .turn_number = turn_number,
    .plan_id = on_step ? std::string_view{plan_.document().plan_id}
                       : std::string_view{},
    .step_id = on_step ? std::string_view{plan_.step(next.step).step_id}
                       : std::string_view{},
    .instructions = terms.instructions,
    .reason = terms.reason});
  next.terms = std::move(terms);
}

void machine::pass_claim(const resource_key& what, participant_index from,
                         participant_index to, const open_request& held) {
  if (!shared_.allowed.may_write(spec_, to, what.type))
    return end_claim(what, "released");
  const auto until
    = now_ + spec_.options.claim_timeout_ms.value_or(claim_timeout_ms_default);
  shared_.claims.take({what.type, what.id},
                      {.holder = to, .expires_at = until});
  log_claim({.who = from, .turn_number = held.turn_number, .token = held.token},
            {.resource_type = what.type, .resource_id = what.id},
            {.kind = protocol::claim_event_kind::handed_over,
             .renewed = true,
             .to = name_of(to),
             .expires_at = until});
}

void machine::hand_on() {
  for (std::size_t i = 0; i < waiting_.size() && !ended();) {
    if (slots_[waiting_[i].participant].open) {
      ++i;
      continue;
    }
    if (tally_.turns >= spec_.options.max_turns)
      return end(false, "max_turns", std::to_string(tally_.turns),
                 spec_.options.max_turns);
    auto next = std::move(waiting_[i]);
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    give_turn(std::move(next), {});
  }
}

void machine::drop_handoffs() {
  for (const auto& each : std::exchange(waiting_, {}))
    if (each.step != no_step)
      plan_.release(each.step, false);
}

void machine::lose_receiver(participant_index who) {
  for (std::size_t i = 0; i < waiting_.size();) {
    if (waiting_[i].participant != who) {
      ++i;
      continue;
    }
    const auto lost = std::move(waiting_[i]);
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    log_simple_input("handoff_failed", who, to_string(lost.terms->handoff_id));
    remember_closed(who, "failed", {}, lost.step);
    if (lost.step != no_step)
      plan_.release(lost.step, false);
  }
}

} // namespace convene::session
