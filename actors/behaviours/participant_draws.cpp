#include <convene/actors/behaviours/participant_draws.hpp>

namespace convene::actors {

participant_draws::rows
participant_draws::for_request(const turn_request& asked) const {
  if (by_task_) {
    const auto [place, number] = by_task_->attempt_of(asked);
    const request_draws made{{seed_, place},
                             number,
                             place + '/' + std::to_string(number + 1)};
    return {made, made};
  }
  const auto n = asked.sequence;
  const request_draws made{own_, n, std::to_string(n)};
  // Questions have a sequence of their own: they draw on another row.
  return {made, asked.dispute.sides.empty()
                  ? made
                  : request_draws{own_, ~n, std::to_string(n)}};
}

} // namespace convene::actors
