// Giving turns: each has a token of its own, and where turns are taken, several
// are open at once only if their resources are apart.

#include <convene/session/machine/append.hpp>

#include <algorithm>
#include <utility>

namespace convene::session {

std::vector<held_turn> machine::held_turns() const {
  std::vector<held_turn> all;
  for (auto i : open_)
    if (slots_[i].open->kind == request_kind::turn)
      all.push_back({i, &*slots_[i].open->terms});
  for (const auto& each : waiting_)
    all.push_back({each.participant, &*each.terms});
  return all;
}

bool machine::may_open(const turn_terms& terms) const {
  if (!policy_->takes_turns)
    return true;
  if (broadcast_)
    return false;
  open_resources resources;
  for (const auto& turn : held_turns())
    static_cast<void>(resources.add(*turn.terms));
  return !resources.add(terms);
}

void machine::apply(dispatch&& d) {
  const auto limit = spec_.options.max_turns;
  if (tally_.turns >= limit)
    return end(false, "max_turns", std::to_string(tally_.turns), limit);
  if (d.participant >= participants_.size()
      || !participants_[d.participant].can_act())
    return policy_fault("dispatches to nobody");
  if (slots_[d.participant].open || !may_open(*d.terms))
    return policy_fault("dispatches while a turn is open");
  if (d.step != no_step
      && std::ranges::find(plan_.ready(), d.step) == plan_.ready().end())
    return policy_fault("dispatches a step that is not ready");
  if (d.terms->handed_by < slots_.size())
    begin_handoff(d, *d.terms, slots_[d.terms->handed_by].last_token, 0);
  step_changes changes;
  if (d.step != no_step) {
    start_plan("a step is dispatched");
    plan_.begin(d.step, changes);
  }
  give_turn(std::move(d), changes);
}

void machine::give_turn(dispatch&& d, const step_changes& changes) {
  const auto number = ++tally_.turns;
  request message{.turn_number = number, .duty = std::string{d.duty}};
  slots_[d.participant].task = d.task;
  if (d.step != no_step) {
    message.step_id = plan_.step(d.step).step_id;
    message.attempt = plan_.state(d.step).attempts;
    if (d.task.empty())
      d.task = plan_.step(d.step).description;
  }
  message.task = d.task.empty() ? spec_.task : std::move(d.task);
  const open_request open{.token = token_of(number),
                          .turn_number = number,
                          .step = d.step,
                          .may_write = d.may_write,
                          .duty = d.duty,
                          .terms = d.terms};
  const auto& terms = *open.terms;
  const bool handed = terms.handed_by < slots_.size();
  // The order of turns goes on from whoever handed it on.
  if (!handed)
    turn_.turn_index = d.participant;
  turn_.current_turn_holder = policy_->takes_turns ? d.participant
                                                   : no_participant;
  turn_.turn_started_at = now_;
  const auto initiator = handed                        ? terms.handed_by
                         : policy_->needs_orchestrator ? roster_.orchestrator
                                                       : no_participant;
  append(protocol::map_turn_dispatched{
    .who = name_of(d.participant),
    .initiator_role = initiator == no_participant
                        ? std::string_view{}
                        : participants_[initiator].role,
    .turn_number = number,
    .token_id = open.token,
    .task = message.task,
    .expires_at = now_ + spec_.options.turn_timeout_ms,
    .duty = message.duty,
    .step_id = message.step_id,
    .attempt = message.attempt,
    .handoff_id = terms.handoff_id,
    .resources = terms.limited ? &terms.resources : nullptr});
  log_steps(changes, "dispatched");
  message.terms = d.terms;
  message.dialog = talk_.last(window_entries, window_bytes);
  issue(d.participant, open, std::move(message));
}

void machine::remember_holder() {
  turn_.current_turn_holder = no_participant;
  if (!policy_->takes_turns)
    return;
  for (auto i : open_)
    if (slots_[i].open->kind == request_kind::turn)
      turn_.current_turn_holder = i;
}

} // namespace convene::session
