// Swarm: a shared pool of steps. Whoever is idle and fits is offered one, and
// takes or declines it; many turns at once.

#include <boost/container/small_vector.hpp>
#include <convene/session/routing/policy.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::modes {
namespace {

using namespace convene::session;

bool has_declined(const step_state& state, participant_index who) {
  return std::ranges::find(state.declined_by, who) != state.declined_by.end();
}

bool may_accept(const view& now, participant_index who, step_index step) {
  return fits(now, who, step) && !has_declined(now.plan->state(step), who);
}

/// Whether anybody is left who might still accept `step`, busy or not.
bool is_wanted(const view& now, step_index step) {
  const auto assigned = now.plan->state(step).assigned;
  if (assigned != no_participant && may_accept(now, assigned, step))
    return true;
  for (participant_index i = 0; i < now.participants.size(); ++i)
    if (may_accept(now, i, step))
      return true;
  return false;
}

/// Who is not to be asked, by position.
using marks = boost::container::small_vector<bool, 32>;

/// The first after the taker of the latest turn who is not `taken` and might
/// accept `step`.
participant_index find_taker(const view& now, const marks& taken,
                             step_index step) {
  const auto count = static_cast<participant_index>(taken.size());
  const auto last = now.turn.turn_index;
  auto who = last == no_participant ? 0 : last + 1;
  for (participant_index n = 0; n < count; ++n, ++who) {
    if (who >= count)
      who = 0;
    if (!taken[who] && may_accept(now, who, step))
      return who;
  }
  return no_participant;
}

bool is_used_up(const view& now, step_index step) {
  const auto& state = now.plan->state(step);
  const auto failures = state.attempts - state.declined_by.size();
  return static_cast<std::int64_t>(failures) > now.options->retries;
}

ruling decide(const view& now, memory kept) {
  std::vector<decision> all;
  marks taken(now.participants.size());
  std::size_t idle = 0;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    taken[i] = !now.participants[i].can_act() || now.participants[i].busy;
    idle += taken[i] ? 0 : 1;
  }
  const auto close = [&](step_index step, std::string reason) {
    all.push_back(close_step{.step = step, .reason = std::move(reason)});
  };
  // Roles that nobody idle has. A pool may hold thousands of steps for one:
  // only the first of them is worth a search.
  std::set<std::string_view> waiting;
  std::set<std::string_view> used; // resources of the steps dispatched here
  for (auto step : now.plan->ready()) {
    if (is_used_up(now, step)) {
      close(step, "retries_used_up");
      continue;
    }
    const auto& state = now.plan->state(step);
    const auto& role = now.plan->step(step).agent_role;
    const bool is_free
      = idle != 0 && std::ranges::none_of(state.resources, [&](auto& name) {
          return used.contains(name);
        });
    const bool is_searched
      = is_free
        && !(role && waiting.contains(*role)
             && (state.assigned == no_participant || taken[state.assigned]));
    const auto who = is_searched ? find_taker(now, taken, step)
                                 : no_participant;
    if (who != no_participant) {
      taken[who] = true;
      --idle;
      used.insert(state.resources.begin(), state.resources.end());
      all.push_back(dispatch{.participant = who, .step = step});
    } else if (!is_wanted(now, step)) {
      close(step, "nobody_accepted");
    } else if (idle == 0) {
      break;
    } else if (is_searched && role && state.declined_by.empty()) {
      waiting.insert(*role);
    }
  }
  if (all.empty() && now.busy == 0)
    all.push_back(plan_end(now));
  return {std::move(all), std::move(kept)};
}

} // namespace

extern const routing_policy swarm{
  .name = "swarm",
  .summary = "idle participants take steps from a shared pool",
  .takes_turns = false,
  .needs_plan = true,
  .decide = decide};

} // namespace convene::modes
