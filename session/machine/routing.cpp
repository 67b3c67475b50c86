// What the routing policy decides, and how the machine carries it out.

#include <convene/session/machine/append.hpp>

#include <algorithm>
#include <cmath>

namespace convene::session {
namespace {

/// How much a session may say in all.
constexpr std::size_t talk_bytes_max = std::size_t{256} << 20;

} // namespace

ruling machine::consult_policy(occasion why, closed_turn closed,
                               std::span<const decision> decided) {
  const view now{.occasion = why,
                 .closed = closed,
                 .decided = decided,
                 .participants = participants_,
                 .can_act = can_act_,
                 .busy = open_.size() + waiting_.size(),
                 .orchestrator = roster_.orchestrator,
                 .initiator = roster_.initiator,
                 .options = &spec_.options,
                 .rounds
                 = spec_.options.rounds.value_or(policy_->rounds_default),
                 .turn = turn_,
                 .turns = tally_.turns,
                 .broadcasts = tally_.broadcasts,
                 .plan = plan_drives_ ? &plan_ : nullptr};
  return policy_->decide(now, std::move(memory_));
}

void machine::ask(occasion why, closed_turn closed,
                  std::span<const decision> decided) {
  // Each round but the last closes a step, so this comes to an end.
  while (!ended() && status() == protocol::collab_status::active
         && !shared_.held_end) {
    if (end_if_over())
      return;
    if (can_act_ == 0)
      return end(false, "participants_lost",
                 std::to_string(participants_.size()));
    if (talk_.all().bytes() > talk_bytes_max)
      return end(false, "talk_bytes_max", std::to_string(talk_.all().bytes()),
                 static_cast<std::int64_t>(talk_bytes_max));
    hand_on();
    if (ended() || shared_.held_end)
      return;
    if (!carry_out(consult_policy(why, closed, decided)))
      return;
    why = occasion::steps_changed;
    closed = {};
    decided = {};
  }
}

bool machine::carry_out(ruling&& answer) {
  memory_ = std::move(answer.memory);
  bool closed_steps = false;
  for (auto& next : answer.decisions) {
    if (ended() || shared_.held_end)
      return false;
    closed_steps |= std::holds_alternative<close_step>(next);
    std::visit([this](auto&& what) { apply(std::move(what)); },
               std::move(next));
  }
  if (!ended() && open_.empty() && waiting_.empty() && !closed_steps
      && shared_.conflicts.empty())
    policy_fault("waits for nothing");
  return open_.empty() && closed_steps;
}

void machine::policy_fault(std::string what) {
  end(false, "policy_fault",
      std::string{policy_->name} + ": " + std::move(what));
}

void machine::apply(broadcast&& b) {
  // Rounds bound a policy's own broadcasts; an orchestrator's, nothing else.
  const auto limit = spec_.options.max_turns;
  if (policy_->needs_orchestrator && tally_.broadcasts >= limit)
    return end(false, "max_turns", std::to_string(tally_.broadcasts), limit);
  std::vector<participant_index> targets;
  std::vector<protocol::actor_name> names;
  for (participant_index i = 0; i < participants_.size(); ++i)
    if (i != roster_.initiator && participants_[i].can_act()
        && !slots_[i].open) {
      targets.push_back(i);
      names.push_back(name_of(i));
    }
  if (targets.empty())
    return end(false, "no_receivers", std::to_string(b.round));
  if (broadcast_)
    return policy_fault("broadcasts while a broadcast is open");
  const auto count = static_cast<std::uint32_t>(targets.size());
  // The subtraction keeps 0.66 * 50 from asking for 34.
  const auto share = std::ceil(spec_.options.quorum * count - 1e-9);
  broadcast_
    = open_broadcast{.id = next_id(),
                     .round = b.round,
                     .targets = count,
                     .needed = std::max(1U, static_cast<std::uint32_t>(share))};
  ++tally_.broadcasts;
  const auto& task = b.task.empty() ? spec_.task : b.task;
  std::vector<protocol::earlier_response> earlier;
  for (const auto& r : *responses_)
    earlier.push_back({participants_[r.participant].id, r.status, r.content});
  append(protocol::map_broadcast_sent{
    .broadcaster = roster_.initiator == no_participant
                     ? protocol::actor_name{}
                     : name_of(roster_.initiator),
    .broadcast_id = broadcast_->id,
    .targets = names,
    .task = task,
    .round = b.round,
    .responses = earlier,
    .expires_at = now_ + spec_.options.turn_timeout_ms});
  const auto window = talk_.last(window_entries, window_bytes);
  for (auto to : targets) {
    request message{.kind = request_kind::broadcast,
                    .round = b.round,
                    .task = task,
                    .dialog = window,
                    .responses = responses_};
    const auto step = step_for(to);
    if (step != no_step) {
      step_changes changes;
      plan_.begin(step, changes);
      log_steps(changes, "broadcast");
      message.step_id = plan_.step(step).step_id;
      message.attempt = plan_.state(step).attempts;
      message.task = plan_.step(step).description;
    }
    issue(
      to,
      {.kind = request_kind::broadcast, .token = broadcast_->id, .step = step},
      std::move(message));
  }
}

step_index machine::step_for(participant_index who) const {
  if (!plan_drives_)
    return no_step;
  const auto& ready = plan_.ready();
  const auto found = std::ranges::find_if(ready, [&](step_index i) {
    const auto to = plan_.state(i).assigned;
    return to == who || to == no_participant || !participants_[to].can_act();
  });
  return found == ready.end() ? no_step : *found;
}

void machine::apply(consult&&) {
  const auto to = roster_.orchestrator;
  if (to == no_participant || !participants_[to].can_act())
    return end(false, "orchestrator_lost",
               to == no_participant ? "nobody"
                                    : std::string{participants_[to].id});
  if (slots_[to].open)
    return policy_fault("consults an orchestrator that is busy");
  issue(to, {.kind = request_kind::decision, .token = next_id()},
        {.kind = request_kind::decision,
         .task = spec_.task,
         .dialog = talk_.last(window_entries, window_bytes),
         .decide = decision_request()});
}

decision_view machine::decision_request() {
  auto asked = last_;
  last_.refused.clear();
  told_ = std::exchange(last_.also_closed, {});
  last_is_told_ = true;
  asked.steps_total = static_cast<std::uint32_t>(plan_.size());
  asked.steps_open = static_cast<std::uint32_t>(plan_.open());
  asked.steps_failed = static_cast<std::uint32_t>(plan_.failed());
  asked.outstanding
    = static_cast<std::uint32_t>(open_.size() + waiting_.size());
  for (auto i : plan_.ready()) {
    if (asked.ready.size() == decision_view::ready_max)
      break;
    const auto& step = plan_.step(i);
    asked.ready.push_back({.step_id = step.step_id,
                           .description = step.description,
                           .agent_role = step.agent_role.value_or(""),
                           .assigned = plan_.state(i).assigned,
                           .attempts = plan_.state(i).attempts});
  }
  return asked;
}

void machine::apply(close_step&& c) {
  if (c.step >= plan_.size()
      || std::ranges::find(plan_.ready(), c.step) == plan_.ready().end())
    return policy_fault("closes a step that is not ready");
  start_plan("a step is closed");
  step_changes changes;
  plan_.close(c.step, c.status, changes);
  log_steps(changes, c.reason);
}

void machine::apply(complete&& c) {
  // What clashes is settled first; nothing else is dispatched meanwhile.
  if (!shared_.conflicts.empty()) {
    shared_.held_end = std::move(c);
    return;
  }
  end(c.success, c.condition, std::move(c.observed), c.limit);
}

} // namespace convene::session
