// What the routing policy decides, and how the machine carries it out.

#include <convene/protocol/json/json_text.hpp>
#include <convene/session/machine/machine.hpp>
#include <convene/session/machine/window.hpp>

#include <algorithm>
#include <exception>

namespace convene::session {
namespace {

/// How much a session may say in all.
constexpr std::size_t talk_bytes_max = std::size_t{256} << 20;

/// What a policy says in a task or a reason.
constexpr std::size_t said_bytes_max = std::size_t{1} << 20;

constexpr std::string_view says_wrong = "says what is too long, or not UTF-8";

/// Whether it can be logged: one of the application's may say anything.
bool may_say(std::string_view text) noexcept {
  return text.empty()
         || (text.size() <= said_bytes_max && protocol::valid_utf8(text));
}

ruling fault_of(const routing_policy& policy, std::string_view thrown) {
  return only(complete{.success = false,
                       .condition = "policy_fault",
                       .observed = std::string{policy.name} + ": threw "
                                   + protocol::shorten(thrown)},
              memory{});
}

/// What the policy decides. One of the application's may throw.
ruling ask_policy(const routing_policy& policy, const view& now,
                  memory&& kept) {
  try {
    return policy.decide(now, std::move(kept));
  } catch (const std::exception& thrown) {
    return fault_of(policy, thrown.what());
  } catch (...) {
    return fault_of(policy, "something that is no std::exception");
  }
}

} // namespace

consequence machine::consult_policy(const consequence& asked) {
  if (auto over = why_over(); over.what != consequence::kind::nothing)
    return over;
  if (members_.can_act() == 0)
    return cancel_by("participants_lost", std::to_string(members_.size()));
  if (talk_.all().bytes() > talk_bytes_max)
    return cancel_by("talk_bytes_max", std::to_string(talk_.all().bytes()),
                     static_cast<std::int64_t>(talk_bytes_max));
  if (!handoffs_.empty())
    if (auto full = hand_on(); full.what != consequence::kind::nothing)
      return full;
  const view now{.occasion = asked.why,
                 .closed = asked.closed,
                 .decided = asked.why == occasion::decided
                              ? std::span<const decision>{decided_}
                              : std::span<const decision>{},
                 .participants = members_.all(),
                 .can_act = members_.can_act(),
                 .busy = requests_.open().size() + handoffs_.size(),
                 .orchestrator = members_.who().orchestrator,
                 .initiator = members_.who().initiator,
                 .options = &spec_.options,
                 .rounds
                 = spec_.options.rounds.value_or(policy_->rounds_default),
                 .turn = turn_,
                 .turns = counts().turns,
                 .broadcasts = counts().broadcasts,
                 .missed = round_.missed(),
                 .plan = plan_.drives() ? &plan_.book() : nullptr};
  return carry_out(ask_policy(*policy_, now, std::move(memory_)));
}

consequence machine::carry_out(ruling&& answer) {
  memory_.swap(answer.memory);
  bool closed_steps = false;
  for (auto& next : answer.decisions) {
    closed_steps |= std::holds_alternative<close_step>(next);
    if (auto* last = std::get_if<complete>(&next))
      *last = held_to(plan_.book(), std::move(*last));
    auto over = std::visit(
      [this](auto&& what) { return apply(std::move(what)); }, std::move(next));
    if (over.what != consequence::kind::nothing)
      return over;
  }
  if (!requests_.empty())
    return {};
  if (closed_steps)
    return ask(occasion::steps_changed);
  return handoffs_.empty() && arbiter_.is_settled()
           ? policy_fault("waits for nothing")
           : consequence{};
}

consequence machine::policy_fault(std::string_view what) const {
  return cancel_by("policy_fault",
                   std::string{policy_->name} + ": " + std::string{what});
}

consequence machine::apply(dispatch&& d) {
  if (!may_say(d.task) || !may_say(d.duty))
    return policy_fault(says_wrong);
  const auto limit = spec_.options.max_turns;
  if (counts().turns >= limit)
    return cancel_by("max_turns", std::to_string(counts().turns), limit);
  if (!members_.can_act(d.participant))
    return policy_fault("dispatches to nobody");
  const auto& terms = *d.terms;
  if (requests_.find(d.participant) != nullptr || !may_open(terms))
    return policy_fault("dispatches while a turn is open");
  if (d.step != no_step && !plan_.is_ready(d.step))
    return policy_fault("dispatches a step that is not ready");
  if (terms.handed_by < requests_.size())
    begin_handoff(d, terms, requests_.last_token(terms.handed_by), 0);
  step_changes changes;
  if (d.step != no_step) {
    plan_.start("a step is dispatched");
    changes = plan_.begin(d.step);
  }
  give_turn(std::move(d), changes);
  return {};
}

consequence machine::apply(broadcast&& b) {
  if (!may_say(b.task))
    return policy_fault(says_wrong);
  const auto limit = spec_.options.max_turns;
  if (!policy_->counts_rounds && counts().broadcasts >= limit)
    return cancel_by("max_turns", std::to_string(counts().broadcasts), limit);
  std::vector<participant_index> targets;
  for (participant_index i = 0; i < members_.size(); ++i)
    if (i != members_.who().initiator && members_.can_act(i)
        && requests_.find(i) == nullptr)
      targets.push_back(i);
  if (targets.empty())
    return cancel_by("no_receivers", std::to_string(b.round));
  if (round_.is_open())
    return policy_fault("broadcasts while a broadcast is open");
  if (b.round == 0 || b.round > counts().broadcasts + 1)
    return policy_fault("broadcasts a round out of order");
  send_broadcast(log_.next_id(), std::move(b), targets);
  return {};
}

void machine::send_broadcast(const protocol::uuid& id, broadcast&& what,
                             std::span<const participant_index> targets) {
  round_.open(id, what.round, static_cast<std::uint32_t>(targets.size()),
              spec_.options.quorum.value_or(quorum_default),
              spec_.options.quorum.has_value(), what.task);
  ++log_.counts().broadcasts;
  const auto& task = what.task.empty() ? spec_.task : what.task;
  const auto deadline_ms = members_.timeout_of(targets);
  std::vector<protocol::actor_name> names;
  names.reserve(targets.size());
  for (auto to : targets)
    names.push_back(members_.name_of(to));
  std::vector<protocol::earlier_response> earlier;
  for (const auto& r : *round_.responses())
    earlier.push_back({members_[r.participant].id, r.status, r.content});
  log_.append(protocol::map_broadcast_sent{
    .broadcaster = members_.name_of(members_.who().initiator),
    .broadcast_id = id,
    .targets = names,
    .task = task,
    .round = what.round,
    .responses = earlier,
    .answered_before = round_.missed().answered,
    .needed_before = round_.missed().needed,
    .deadline_ms = deadline_ms,
    .expires_at = log_.now() + deadline_ms});
  const auto window = talk_.last(window_entries, window_bytes);
  for (auto to : targets) {
    auto& message = log_.deliver(to);
    message.round = what.round;
    message.dialog = window;
    message.responses = round_.responses();
    message.missed = round_.missed();
    const auto step = plan_.step_for(to);
    if (step != no_step) {
      plan_.log(plan_.begin(step), "broadcast");
      message.step_id = plan_.step_id(step);
      message.attempt = plan_.book().state(step).attempts;
    }
    message.task = step != no_step ? plan_.book().step(step).description : task;
    issue(to, {.kind = request_kind::broadcast, .step = step, .token = id},
          message);
  }
}

consequence machine::apply(consult&&) {
  const auto to = members_.who().orchestrator;
  if (!members_.can_act(to))
    return cancel_by("orchestrator_lost", to == no_participant
                                            ? "nobody"
                                            : std::string{members_[to].id});
  if (requests_.find(to) != nullptr)
    return policy_fault("consults an orchestrator that is busy");
  auto& message = log_.deliver(to);
  message.task = spec_.task;
  message.dialog = talk_.last(window_entries, window_bytes);
  message.decide = decision_request();
  issue(to, {.kind = request_kind::decision, .token = log_.next_id()}, message);
  return {};
}

decision_view machine::decision_request() {
  auto asked = briefing_.tell();
  const auto& plan = plan_.book();
  asked.steps_total = static_cast<std::uint32_t>(plan.size());
  asked.steps_open = static_cast<std::uint32_t>(plan.open());
  asked.steps_failed = static_cast<std::uint32_t>(plan.failed());
  asked.outstanding
    = static_cast<std::uint32_t>(requests_.open().size() + handoffs_.size());
  for (auto i : plan.ready()) {
    if (asked.ready.size() == decision_view::ready_max)
      break;
    const auto& step = plan.step(i);
    asked.ready.push_back({.step_id = step.step_id,
                           .description = step.description,
                           .agent_role = step.agent_role.value_or(""),
                           .assigned = plan.state(i).assigned,
                           .attempts = plan.state(i).attempts});
  }
  return asked;
}

consequence machine::apply(close_step&& c) {
  if (c.step >= plan_.book().size() || !plan_.is_ready(c.step))
    return policy_fault("closes a step that is not ready");
  if (!may_say(c.reason))
    return policy_fault(says_wrong);
  plan_.start("a step is closed");
  plan_.close(c.step, c.status, c.reason);
  return {};
}

/// Rounds pass also where everything fails; that is no success.
consequence machine::apply(complete&& c) {
  if (c.condition.empty())
    return policy_fault("ends without naming a condition");
  if (!may_say(c.condition) || !may_say(c.observed))
    return policy_fault(says_wrong);
  if (c.success && c.condition == "rounds" && progress_.has_only_failures())
    return cancel_by("no_turn_completed",
                     std::to_string(progress_.turns_closed()));
  return complete_by(std::move(c));
}

} // namespace convene::session
