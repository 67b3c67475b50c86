#include <convene/session/single_agent/step_dispatch.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::session {
namespace {

/// The executors of one session, and which of them have no step.
class executors {
public:
  explicit executors(const view& now) : now_(now) {
    for (const auto& who : now.participants) {
      idle_.push_back(who.can_act() && !who.busy);
      has_default_ |= who.can_act() && who.role == agent_role_default;
    }
  }

  /// Whether anybody is left who might execute the step, busy or not.
  [[nodiscard]] bool has(step_index step) const {
    for (participant_index i = 0; i < idle_.size(); ++i)
      if (executes(i, step))
        return true;
    return false;
  }

  [[nodiscard]] bool has_idle() const {
    return std::ranges::find(idle_, true) != idle_.end();
  }

  /// An idle one, who is idle no longer; none: no_participant.
  [[nodiscard]] participant_index take(step_index step) {
    for (participant_index i = 0; i < idle_.size(); ++i)
      if (idle_[i] && executes(i, step)) {
        idle_[i] = false;
        return i;
      }
    return no_participant;
  }

private:
  [[nodiscard]] bool executes(participant_index who, step_index step) const {
    if (!has_default_ || now_.plan->step(step).agent_role)
      return fits(now_, who, step);
    return now_.participants[who].can_act()
           && now_.participants[who].role == agent_role_default;
  }

  const view& now_;
  std::vector<bool> idle_;
  bool has_default_ = false;
};

/// The steps of one kind that are not dispatched yet; there is at least one.
struct queue {
  steps_in_order::const_iterator next;
  steps_in_order::const_iterator end;
};

bool comes_after(const queue& a, const queue& b) {
  return a.next->first > b.next->first;
}

} // namespace

ruling dispatch_steps(const view& now, on_failure then) {
  ruling made;
  auto& all = made.decisions;
  executors who{now};
  std::vector<queue> ready;
  std::map<step_place, close_step> closed;
  for (const auto& [kind, steps] : now.plan->groups().all()) {
    const bool used_up = kind.attempts > now.options->retries;
    if (!used_up && who.has(steps.begin()->second))
      ready.push_back({steps.begin(), steps.end()});
    else
      for (const auto& [place, step] : steps)
        closed.emplace(place,
                       close_step{.step = step,
                                  .reason = used_up ? "retries_used_up"
                                                    : "nobody_executes_it"});
  }
  for (auto& [place, step] : closed)
    all.push_back(std::move(step));
  const bool stops = then == on_failure::abort
                     && (!all.empty() || now.plan->failed() > 0);
  auto running = now.busy;
  std::set<std::string_view> used; // resources of the steps dispatched here
  std::ranges::make_heap(ready, comes_after);
  while (!ready.empty() && !stops && running < steps_at_once_max
         && who.has_idle()) {
    std::ranges::pop_heap(ready, comes_after);
    auto& first = ready.back();
    const auto step = first.next->second;
    const auto& resources = now.plan->state(step).resources;
    const bool is_free = std::ranges::none_of(resources, [&](const auto& name) {
      return used.contains(name);
    });
    const auto to = is_free ? who.take(step) : no_participant;
    // Nobody who is idle executes those of this kind.
    const bool goes_on = !is_free || to != no_participant;
    if (goes_on && ++first.next != first.end)
      std::ranges::push_heap(ready, comes_after);
    else
      ready.pop_back();
    if (to == no_participant)
      continue;
    used.insert(resources.begin(), resources.end());
    all.push_back(dispatch{.participant = to, .step = step});
    ++running;
  }
  if (all.empty() && now.busy == 0)
    all.push_back(plan_end(now));
  return made;
}

} // namespace convene::session
