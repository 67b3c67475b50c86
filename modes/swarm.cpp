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

using idle_list = boost::container::small_vector<participant_index, 32>;

/// Who can be asked, first those after the taker of the latest turn.
idle_list find_idle(const view& now) {
  idle_list idle;
  const auto count = static_cast<participant_index>(now.participants.size());
  const auto last = now.turn.turn_index;
  const auto first = last == no_participant ? 0 : std::min(last + 1, count);
  const auto add = [&](participant_index from, participant_index end) {
    for (auto who = from; who < end; ++who)
      if (now.participants[who].can_act() && !now.participants[who].busy)
        idle.push_back(participant_index{who});
  };
  add(first, count);
  add(0, first);
  return idle;
}

bool is_used_up(const view& now, step_index step) {
  const auto& state = now.plan->state(step);
  const auto failures = state.attempts - state.declined_by.size();
  return static_cast<std::int64_t>(failures) > now.options->retries;
}

ruling decide(const view& now, memory kept) {
  ruling made{.memory = std::move(kept)};
  auto& all = made.decisions;
  auto idle = find_idle(now);
  const auto close = [&](step_index step, std::string reason) {
    all.emplace_back(close_step{.step = step, .reason = std::move(reason)});
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
      = !idle.empty() && std::ranges::none_of(state.resources, [&](auto& name) {
          return used.contains(name);
        });
    const bool is_searched
      = is_free
        && !(role && waiting.contains(*role)
             && std::ranges::find(idle, state.assigned) == idle.end());
    const auto taker = is_searched ? std::ranges::find_if(
                         idle,
                         [&](auto who) { return may_accept(now, who, step); })
                                   : idle.end();
    if (taker != idle.end()) {
      all.emplace_back(dispatch{.participant = *taker, .step = step});
      idle.erase(taker);
      used.insert(state.resources.begin(), state.resources.end());
    } else if (!is_wanted(now, step)) {
      close(step, "nobody_accepted");
    } else if (idle.empty()) {
      break;
    } else if (is_searched && role && state.declined_by.empty()) {
      waiting.insert(*role);
    }
  }
  if (all.empty() && now.busy == 0)
    all.emplace_back(plan_end(now));
  return made;
}

} // namespace

extern const routing_policy swarm{
  .name = "swarm",
  .summary = "idle participants take steps from a shared pool",
  .takes_turns = false,
  .needs_plan = true,
  .decide = decide};

} // namespace convene::modes
