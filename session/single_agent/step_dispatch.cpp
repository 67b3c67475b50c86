#include <convene/session/single_agent/step_dispatch.hpp>

#include <algorithm>
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

std::vector<step_index> in_order(const plan_book& plan) {
  constexpr auto last = std::numeric_limits<std::int64_t>::max();
  std::vector<step_index> all{plan.ready().begin(), plan.ready().end()};
  const auto place = [&](step_index i) {
    const auto& step = plan.step(i);
    return std::pair{step.order_index.value_or(last),
                     std::string_view{step.step_id}};
  };
  std::ranges::sort(all, {}, place);
  return all;
}

} // namespace

ruling dispatch_steps(const view& now, on_failure then) {
  ruling made;
  auto& all = made.decisions;
  executors who{now};
  std::vector<step_index> ready;
  for (const auto step : in_order(*now.plan)) {
    const bool used_up = now.plan->state(step).attempts > now.options->retries;
    if (!used_up && who.has(step))
      ready.push_back(step);
    else
      all.push_back(close_step{.step = step,
                               .reason = used_up ? "retries_used_up"
                                                 : "nobody_executes_it"});
  }
  const bool stops = then == on_failure::abort
                     && (!all.empty() || now.plan->failed() > 0);
  auto running = now.busy;
  std::set<std::string_view> used; // resources of the steps dispatched here
  for (const auto step : ready) {
    if (stops || running >= steps_at_once_max)
      break;
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
