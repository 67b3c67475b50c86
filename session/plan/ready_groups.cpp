#include <convene/session/plan/plan_book.hpp>
#include <convene/session/plan/ready_groups.hpp>

#include <limits>

namespace convene::session {
namespace {

step_kind kind_of(const protocol::plan_step& step, const step_state& state) {
  return {step.agent_role, state.assigned, state.attempts};
}

step_place place_of(const protocol::plan_step& step) {
  constexpr auto last = std::numeric_limits<std::int64_t>::max();
  return {step.order_index.value_or(last), step.step_id};
}

} // namespace

void ready_groups::add(const protocol::plan_step& step, const step_state& state,
                       step_index at) {
  all_[kind_of(step, state)].emplace(place_of(step), at);
}

void ready_groups::drop(const protocol::plan_step& step,
                        const step_state& state) {
  const auto group = all_.find(kind_of(step, state));
  if (group == all_.end())
    return;
  group->second.erase(place_of(step));
  if (group->second.empty())
    all_.erase(group);
}

} // namespace convene::session
