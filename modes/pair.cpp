// Pair: a driver who acts and a navigator who reviews, turn by turn; they swap
// roles every so many rounds, and the navigator says when it is done. With a
// plan, each driver turn takes the next step. Whoever hands a turn on changes
// seats with the other, from then on.

#include <convene/session/routing/policy.hpp>

#include <string>
#include <utility>

namespace convene::modes {
namespace {

using namespace convene::session;

constexpr std::string_view duties[] = {"driver", "navigator"};

/// How far a pair has come: the turns so far, handed on ones not counted, and
/// whether a handoff has them sit the other way round.
struct progress {
  std::int64_t half = 0;
  bool crossed = false;

  explicit progress(const memory& kept) {
    const auto both = kept.is_int64() ? kept.get_int64() : 0;
    half = both / 2;
    crossed = both % 2 != 0;
  }

  [[nodiscard]] memory kept() const {
    return half * 2 + (crossed ? 1 : 0);
  }
};

/// Whose turn is next: the first of the two drives until the roles swap.
participant_index seat_of(const view& now, const progress& so_far) {
  const auto every = now.options->swap_every;
  const auto swapped = every == 0 ? 0 : so_far.half / 2 / every % 2;
  const auto first = next_acting(now, no_participant);
  return (so_far.half + swapped + (so_far.crossed ? 1 : 0)) % 2 == 0
           ? first
           : next_acting(now, first);
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
    return only(complete{.success = false,
                         .condition = "partner_lost",
                         .observed = std::to_string(now.can_act)},
                std::move(kept));
  progress so_far{kept};
  if (now.occasion == occasion::turn_closed
      && now.closed.status == turn_status::handed_off)
    so_far.crossed = !so_far.crossed;
  if (now.busy > 0)
    return {{}, so_far.kept()};
  if (now.occasion == occasion::turn_closed)
    ++so_far.half;
  const auto half = so_far.half;
  complete how;
  if (is_over(now, half, how))
    return only(std::move(how), so_far.kept());
  if (now.plan != nullptr && half % 2 == 0)
    if (auto hopeless = close_exhausted(now); !hopeless.empty())
      return {std::move(hopeless), so_far.kept()};
  dispatch next{.participant = seat_of(now, so_far),
                .duty = duties[half % 2],
                .may_write = half % 2 == 0};
  if (now.plan != nullptr && half % 2 == 0)
    next.step = now.plan->ready().front();
  if (half % 2 == 1 && now.closed.step != no_step)
    next.task = "Review: " + now.plan->step(now.closed.step).description;
  return only(std::move(next), so_far.kept());
}

} // namespace

extern const routing_policy pair{
  .name = "pair",
  .summary = "a driver and a navigator take turns and swap roles",
  .rounds_default = 10,
  .decide = decide};

} // namespace convene::modes
