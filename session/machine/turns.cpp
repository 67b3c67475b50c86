// Giving turns: each has a token of its own, and where turns are taken, several
// are open at once only if their resources are apart. And handing them on: the
// giver's turn ends as handed_off, the receiver gets a new one as soon as it is
// free.

#include <convene/session/machine/machine.hpp>
#include <convene/session/machine/turn_checks.hpp>
#include <convene/session/machine/window.hpp>
#include <convene/session/orchestration/handoff_receiver.hpp>

#include <algorithm>
#include <utility>

namespace convene::session {

std::vector<held_turn> machine::held_turns() const {
  std::vector<held_turn> all;
  for (auto i : requests_.open())
    if (const auto& open = *requests_.find(i); open.kind == request_kind::turn)
      all.push_back({i, &*open.terms});
  for (const auto& each : handoffs_.all())
    all.push_back({each.participant, &*each.terms});
  return all;
}

bool machine::may_open(const turn_terms& terms) const {
  if (!policy_->takes_turns)
    return true;
  if (round_.is_open())
    return false;
  if (requests_.empty() && handoffs_.empty())
    return true;
  open_resources resources;
  for (const auto& turn : held_turns())
    static_cast<void>(resources.add(*turn.terms));
  return !resources.add(terms);
}

void machine::give_turn(dispatch&& d, const step_changes& changes) {
  const auto number = ++log_.counts().turns;
  auto& message = log_.deliver(d.participant);
  message.turn_number = number;
  if (!d.duty.empty())
    message.duty = d.duty;
  requests_.note_task(d.participant, d.task);
  if (d.step != no_step) {
    const auto& book = plan_.book();
    message.step_id = book.step(d.step).step_id;
    message.attempt = book.state(d.step).attempts;
  }
  if (!d.task.empty())
    message.task = std::move(d.task);
  else if (d.step != no_step)
    message.task = plan_.book().step(d.step).description;
  if (message.task.empty())
    message.task = spec_.task;
  message.terms = d.terms;
  open_request open{.may_write = d.may_write,
                    .turn_number = number,
                    .step = d.step,
                    .token = log_.token_of(number),
                    .duty = d.duty,
                    .terms = std::move(d.terms)};
  const auto& terms = *open.terms;
  const bool handed = terms.handed_by < requests_.size();
  // The order of turns goes on from whoever handed it on.
  if (!handed)
    turn_.turn_index = d.participant;
  turn_.current_turn_holder = policy_->takes_turns ? d.participant
                                                   : no_participant;
  turn_.turn_started_at = log_.now();
  const auto initiator = handed ? terms.handed_by
                         : policy_->needs_orchestrator
                           ? members_.who().orchestrator
                           : no_participant;
  log_.append(protocol::map_turn_dispatched{
    .who = members_.name_of(d.participant),
    .initiator_role = members_.name_of(initiator).role_id,
    .turn_number = number,
    .token_id = open.token,
    .task = message.task,
    .expires_at = log_.now() + members_.timeout_of(d.participant),
    .duty = message.duty,
    .step_id = message.step_id,
    .attempt = message.attempt,
    .handoff_id = terms.handoff_id,
    .resources = terms.limited ? &terms.resources : nullptr});
  if (!changes.empty())
    plan_.log(changes, "dispatched");
  message.dialog = talk_.last(window_entries, window_bytes);
  issue(d.participant, std::move(open), message);
}

void machine::remember_holder() {
  turn_.current_turn_holder = no_participant;
  if (!policy_->takes_turns)
    return;
  for (auto i : requests_.open())
    if (requests_.find(i)->kind == request_kind::turn)
      turn_.current_turn_holder = i;
}

std::optional<protocol::reply_error>
machine::why_no_handoff(participant_index from, const protocol::reply& reply,
                        participant_index& to) const {
  if (reply.status != protocol::reply_status::completed)
    return std::nullopt;
  const auto limit = depth_max(spec_);
  if (!checks::may_hand_on(requests_.find(from)->terms->depth, limit))
    return protocol::reply_error{
      "handoff_depth_max",
      "the turn was handed on " + std::to_string(limit)
        + " times already; finish it, or raise session.max_handoff_depth"};
  if (handoffs_.is_full())
    return protocol::reply_error{"handoffs_waiting_max",
                                 "too many turns wait for a busy receiver"};
  const auto found = find_receiver(spec_, members_.who(), members_.all(), from,
                                   reply.handoff->to);
  if (!found)
    return protocol::reply_error{found.error().rule, found.error().message};
  to = *found;
  return std::nullopt;
}

void machine::hand_off(participant_index from, participant_index to,
                       const open_request& held,
                       const protocol::handoff& what) {
  // Not the resources of the giver's turn: those were for its task.
  turn_terms terms{.handed_by = from,
                   .depth = held.terms->depth + 1,
                   .instructions = what.instructions,
                   .reason = what.reason};
  dispatch next{.participant = to,
                .step = held.step,
                .task = what.instructions.empty() ? requests_.task_of(from)
                                                  : what.instructions,
                .duty = held.duty,
                .may_write = held.may_write};
  begin_handoff(next, std::move(terms), held.token, held.turn_number);
  arbiter_.claims().pass(from, to, held);
  if (held.step != no_step)
    plan_.assign(held.step, to);
  handoffs_.add(std::move(next));
}

void machine::begin_handoff(dispatch& next, turn_terms terms,
                            const protocol::uuid& token,
                            std::uint32_t turn_number) {
  ++log_.counts().handoffs;
  terms.handoff_id = log_.next_id();
  log_.append(
    protocol::map_handoff_initiated{.handoff_id = terms.handoff_id,
                                    .from = members_.name_of(terms.handed_by),
                                    .to = members_.name_of(next.participant),
                                    .token_id = token,
                                    .turn_number = turn_number,
                                    .plan_id = plan_.plan_id(next.step),
                                    .step_id = plan_.step_id(next.step),
                                    .instructions = terms.instructions,
                                    .reason = terms.reason});
  const graph_record::handoff edge{terms.handed_by, next.participant};
  auto& known = graph_.handoffs;
  const auto place = std::ranges::lower_bound(known, edge);
  if (place == known.end() || *place != edge) {
    known.insert(place, edge);
    log_.append(
      protocol::handoff_added{.graph_id = spec_.collab.context_id,
                              .from = members_.name_of(terms.handed_by),
                              .to = members_.name_of(next.participant)});
  }
  next.terms = std::move(terms);
}

consequence machine::hand_on() {
  const auto is_free = [this](participant_index i) {
    return requests_.find(i) == nullptr;
  };
  // Where turns are taken, two that may write what no other turn names would
  // be in each other's way.
  const auto is_taken = [this] {
    return policy_->takes_turns
           && std::ranges::any_of(requests_.open(), [this](auto i) {
                return is_handed_on(*requests_.find(i)->terms);
              });
  };
  while (const auto* next = is_taken() ? nullptr : handoffs_.first(is_free)) {
    const auto limit = spec_.options.max_turns;
    if (counts().turns >= limit)
      return cancel_by("max_turns", std::to_string(counts().turns), limit);
    give_turn(handoffs_.take(next), {});
  }
  return {};
}

void machine::lose_receiver(participant_index who) {
  const auto is_lost = [&](participant_index i) { return i == who; };
  while (const auto* next = handoffs_.first(is_lost)) {
    const auto lost = handoffs_.take(next);
    log_simple_input("handoff_failed", who, to_string(lost.terms->handoff_id));
    remember_closed(who, "failed", {}, lost.step);
    plan_.release(lost.step);
  }
}

} // namespace convene::session
