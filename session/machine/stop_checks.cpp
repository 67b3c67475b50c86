// When a session is over, besides the mode's own end: the guards, which end it
// as cancelled, and the conditions of the scenario, which complete it.

#include <convene/session/machine/machine.hpp>
#include <convene/session/spec/normalise.hpp>

namespace convene::session {

observation machine::observe() const {
  return {.progress = &progress_,
          .participants = members_.all(),
          .can_act = members_.can_act(),
          .plan = &plan_.book(),
          .resources = &arbiter_.resources().view(),
          .usage = counts().usage,
          .now = log_.now(),
          // Moved on by each suspension, and while only people are awaited, as
          // the guard on the duration is.
          .started_at = ends_at() - spec_.options.max_duration_ms,
          .stopped = stopped_.has_value()};
}

/// An action ends a session by its usage only with its request: who cannot
/// begin another one can still answer.
consequence machine::why_over_meanwhile() {
  if (actions_.empty())
    return why_over();
  const auto& all = counts().usage;
  const auto& open = actions_.unsettled();
  return why_over(
    {.prompt_tokens = all.prompt_tokens - open.prompt_tokens,
     .completion_tokens = all.completion_tokens - open.completion_tokens,
     .cost_microusd = all.cost_microusd - open.cost_microusd});
}

consequence machine::why_over(const protocol::usage& used) {
  const auto& o = spec_.options;
  if (o.budget.tokens && total_tokens(used) >= *o.budget.tokens)
    return cancel_by("budget_tokens", std::to_string(total_tokens(used)),
                     *o.budget.tokens);
  if (o.budget.cost_microusd && used.cost_microusd >= *o.budget.cost_microusd)
    return cancel_by("budget_cost_microusd", std::to_string(used.cost_microusd),
                     *o.budget.cost_microusd);
  const auto stale = progress_.stale_turns();
  if (o.no_progress > 0 && stale >= o.no_progress)
    return cancel_by("no_progress", std::to_string(stale), o.no_progress);
  if (arbiter_.holds_end())
    return {};
  if (stopped_ && !ending_.knows_stop())
    return complete_by({.condition = "stopped", .observed = *stopped_});
  if (ending_.empty())
    return {};
  auto now = observe();
  now.usage = used;
  if (auto why = ending_.check(now))
    return complete_by({.condition = why->condition,
                        .observed = std::move(why->observed),
                        .limit = why->limit});
  return {};
}

consequence machine::on(verdict&& v) {
  normalise_reason(v.observed);
  normalise_reason(v.error);
  if (!ending_.rule(v.condition, v.holds, v.observed)) {
    ++log_.counts().refused;
    return {};
  }
  log_.log_input({.input = "verdict",
                  .condition = v.condition,
                  .holds = v.holds,
                  .observed = v.observed,
                  .error = v.error});
  if (!v.error.empty())
    return cancel_by("custom_failed", v.condition + ": " + v.error);
  return status_ == protocol::collab_status::active ? why_over()
                                                    : consequence{};
}

} // namespace convene::session
