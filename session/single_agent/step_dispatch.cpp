#include <convene/session/single_agent/step_dispatch.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
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

/// By order_index, then by step_id: whether `a` comes after `b`.
class comes_after {
public:
  explicit comes_after(const plan_book& plan) : plan_(&plan) {
    // nop
  }

  bool operator()(step_index a, step_index b) const {
    return place(a) > place(b);
  }

private:
  [[nodiscard]] std::pair<std::int64_t, std::string_view>
  place(step_index i) const {
    constexpr auto last = std::numeric_limits<std::int64_t>::max();
    const auto& step = plan_->step(i);
    return {step.order_index.value_or(last), step.step_id};
  }

  const plan_book* plan_;
};

} // namespace

ruling dispatch_steps(const view& now, on_failure then) {
  ruling made;
  auto& all = made.decisions;
  executors who{now};
  std::vector<step_index> ready, closed;
  const auto used_up = [&](step_index step) {
    return now.plan->state(step).attempts > now.options->retries;
  };
  for (const auto step : now.plan->ready())
    (!used_up(step) && who.has(step) ? ready : closed).push_back(step);
  const comes_after later{*now.plan};
  std::sort(closed.rbegin(), closed.rend(), later);
  for (const auto step : closed)
    all.push_back(close_step{.step = step,
                             .reason = used_up(step) ? "retries_used_up"
                                                     : "nobody_executes_it"});
  const bool stops = then == on_failure::abort
                     && (!all.empty() || now.plan->failed() > 0);
  auto running = now.busy;
  std::set<std::string_view> used; // resources of the steps dispatched here
  // Of thousands that are ready, few can be dispatched: they are not sorted.
  std::ranges::make_heap(ready, later);
  while (!ready.empty() && !stops && running < steps_at_once_max
         && who.has_idle()) {
    std::ranges::pop_heap(ready, later);
    const auto step = ready.back();
    ready.pop_back();
    const auto& resources = now.plan->state(step).resources;
    if (std::ranges::any_of(resources, [&](const auto& name) {
          return used.contains(name);
        }))
      continue;
    const auto to = who.take(step);
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
