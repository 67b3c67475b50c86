// Pair: a driver who acts and a navigator who reviews, turn by turn; they swap
// roles every so many rounds, and the navigator says when it is done. With a
// plan, each driver turn takes the next step.

#include <convene/session/policy.hpp>

#include <string>
#include <utility>

namespace convene::modes {
namespace {

using namespace convene::session;

constexpr std::string_view duties[] = {"driver", "navigator"};

/// Who has `half`, the turns counted from 0: the first of the two drives until
/// the roles swap.
participant_index seat_of(const view& now, std::int64_t half) {
  const auto every = now.options->swap_every;
  const auto swapped = every == 0 ? 0 : half / 2 / every % 2;
  const auto first = next_acting(now, no_participant);
  return half % 2 == swapped ? first : next_acting(now, first);
}

/// What ends the session after `half` turns, if anything does.
bool is_over(const view& now, std::int64_t half, complete& how) {
  const bool navigated = now.occasion == occasion::turn_closed && half % 2 == 0;
  if (navigated && now.closed.end) {
    how = {.condition = "navigator_end", .observed = std::to_string(half / 2)};
    return true;
  }
  if (half % 2 != 0)
    return false;
  if (now.plan != nullptr) {
    how = plan_end(now);
    return now.plan->ready().empty();
  }
  how = {.condition = "rounds", .observed = std::to_string(half / 2)};
  return half / 2 >= now.rounds;
}

ruling decide(const view& now, memory kept) {
  if (now.can_act < 2)
    return {{complete{.success = false,
                      .condition = "partner_lost",
                      .observed = std::to_string(now.can_act)}},
            std::move(kept)};
  if (now.busy > 0)
    return {{}, std::move(kept)};
  auto half = kept.is_int64() ? kept.get_int64() : 0;
  if (now.occasion == occasion::turn_closed)
    ++half;
  complete how;
  if (is_over(now, half, how))
    return {{std::move(how)}, half};
  if (now.plan != nullptr && half % 2 == 0)
    if (auto hopeless = close_exhausted(now); !hopeless.empty())
      return {std::move(hopeless), half};
  dispatch next{.participant = seat_of(now, half),
                .duty = duties[half % 2],
                .may_write = half % 2 == 0};
  if (now.plan != nullptr && half % 2 == 0)
    next.step = now.plan->ready().front();
  if (half % 2 == 1 && now.closed.step != no_step)
    next.task = "Review: " + now.plan->step(now.closed.step).description;
  return {{std::move(next)}, half};
}

} // namespace

extern const routing_policy pair{
  .name = "pair",
  .summary = "a driver and a navigator take turns and swap roles",
  .rounds_default = 10,
  .decide = decide};

} // namespace convene::modes
