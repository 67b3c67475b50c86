// Round robin: everybody in the roster's order, one turn at a time, for so many
// rounds; with a plan, one turn for each step in dependency order.

#include <convene/session/routing/policy.hpp>

#include <string>
#include <utility>

namespace convene::modes {
namespace {

using namespace convene::session;

/// Whoever takes `step` now: the one it is assigned to first, the next in
/// order when it is tried again.
participant_index taker(const view& now, step_index step) {
  const auto& state = now.plan->state(step);
  if (state.attempts == 0 && state.assigned != no_participant
      && now.participants[state.assigned].can_act())
    return state.assigned;
  return next_acting(now, now.turn.turn_index);
}

complete votes_end(const view& now) {
  return {.condition = "end_votes", .observed = std::to_string(now.can_act)};
}

ruling by_step(const view& now, memory&& kept) {
  if (auto hopeless = close_exhausted(now); !hopeless.empty())
    return {std::move(hopeless), std::move(kept)};
  const auto& ready = now.plan->ready();
  if (ready.empty())
    return only(plan_end(now), std::move(kept));
  if (all_vote_end(now))
    return only(votes_end(now), std::move(kept));
  return only(dispatch{.participant = taker(now, ready.front()),
                       .step = ready.front()},
              std::move(kept));
}

ruling by_round(const view& now, const memory& kept) {
  if (all_vote_end(now))
    return only(votes_end(now), kept);
  auto round = kept.is_int64() ? kept.get_int64() : 1;
  const auto last = now.turn.turn_index;
  auto next = next_acting(now, last);
  if (now.occasion == occasion::resumed && last != no_participant
      && now.participants[last].can_act())
    next = last;
  else if (last != no_participant && next <= last)
    ++round;
  if (round > now.rounds)
    return only(complete{.condition = "rounds",
                         .observed = std::to_string(now.rounds)},
                round);
  return only(dispatch{.participant = next}, round);
}

ruling decide(const view& now, memory kept) {
  if (now.busy > 0)
    return {{}, std::move(kept)};
  return now.plan != nullptr ? by_step(now, std::move(kept))
                             : by_round(now, kept);
}

} // namespace

extern const routing_policy round_robin{
  .name = "round_robin",
  .summary = "participants in order, one turn at a time",
  .decide = decide};

} // namespace convene::modes
