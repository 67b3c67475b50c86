#include <convene/session/routing/policy.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace convene::session {

participant_index next_acting(const view& now,
                              participant_index from) noexcept {
  const auto count = static_cast<participant_index>(now.participants.size());
  const auto first = from == no_participant ? 0 : from + 1;
  for (participant_index n = 0; n < count; ++n) {
    const auto candidate = (first + n) % count;
    if (now.participants[candidate].can_act())
      return candidate;
  }
  return no_participant;
}

bool all_vote_end(const view& now) noexcept {
  return now.can_act > 0
         && std::ranges::all_of(now.participants, [](const auto& p) {
              return !p.can_act() || p.votes_end;
            });
}

bool goes_by(const participant_state& who, std::string_view name) noexcept {
  return who.role == name || who.role_name == name || who.id == name;
}

decisions close_exhausted(const view& now) {
  decisions closed;
  for (auto i : now.plan->ready())
    if (now.plan->state(i).attempts > now.options->retries)
      closed.push_back(close_step{.step = i, .reason = "retries_used_up"});
  return closed;
}

namespace {

complete end_of(const plan_book& plan) {
  const auto undone = plan.failed() + plan.open();
  return {.success = undone == 0,
          .condition = undone == 0 ? "plan_complete" : "plan_failed",
          .observed = std::to_string(plan.size() - undone) + " of "
                      + std::to_string(plan.size()) + " steps"};
}

} // namespace

complete plan_end(const view& now) {
  return end_of(*now.plan);
}

complete held_to(const plan_book& plan, complete&& end) {
  return end.success && plan.failed() > 0 ? end_of(plan) : std::move(end);
}

} // namespace convene::session
