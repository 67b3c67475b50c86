// When a session is over, besides the mode's own end: the guards, which end it
// as cancelled, and the conditions of the scenario, which complete it.

#include <convene/protocol/json/json_writer.hpp>
#include <convene/session/machine/append.hpp>
#include <convene/session/machine/machine.hpp>
#include <convene/session/spec/normalise.hpp>

namespace convene::session {

std::size_t machine::turn_takers() const noexcept {
  const auto leads = policy_->needs_orchestrator ? roster_.orchestrator
                                                 : no_participant;
  return can_act_
         - (leads != no_participant && participants_[leads].can_act() ? 1 : 0);
}

observation machine::observe() const {
  return {.progress = &progress_,
          .participants = participants_,
          .can_act = can_act_,
          .plan = &plan_,
          .resources = &shared_.resources.view(),
          .usage = tally_.usage,
          .now = now_,
          // Moved on by each suspension, as the guard on the duration is.
          .started_at = ends_by_ - spec_.options.max_duration_ms,
          .stopped = stopped_.has_value()};
}

bool machine::end_by_guard() {
  const auto& o = spec_.options;
  const auto over = [&](std::string_view name, std::int64_t observed,
                        std::int64_t limit) {
    if (observed < limit)
      return false;
    end(false, name, std::to_string(observed), limit);
    return true;
  };
  const auto& used = tally_.usage;
  return (o.budget.tokens
          && over("budget_tokens", total_tokens(used), *o.budget.tokens))
         || (o.budget.cost_microusd
             && over("budget_cost_microusd", used.cost_microusd,
                     *o.budget.cost_microusd))
         || (o.no_progress > 0
             && over("no_progress", progress_.stale_turns(), o.no_progress));
}

bool machine::end_if_over() {
  if (end_by_guard())
    return true;
  if (shared_.held_end)
    return false;
  if (stopped_ && !ending_.knows_stop()) {
    apply(complete{.condition = "stopped", .observed = *stopped_});
    return true;
  }
  auto why = ending_.check(observe());
  if (!why)
    return false;
  apply(complete{.condition = why->condition,
                 .observed = std::move(why->observed),
                 .limit = why->limit});
  return true;
}

void machine::on(verdict&& v) {
  normalise_reason(v.observed);
  normalise_reason(v.error);
  if (!ending_.rule(v.condition, v.holds, v.observed)) {
    ++tally_.refused;
    return;
  }
  protocol::byte_buffer payload;
  {
    protocol::json_writer out{payload};
    out.raw(R"({"input":"verdict","condition":)").string(v.condition);
    out.raw(R"(,"holds":)").raw(v.holds ? "true" : "false");
    if (!v.observed.empty())
      out.raw(R"(,"observed":)").string(v.observed);
    if (!v.error.empty())
      out.raw(R"(,"error":)").string(v.error);
    out.raw("}");
  }
  log_input("worker", no_participant, payload.view());
  if (!v.error.empty())
    end(false, "custom_failed", v.condition + ": " + v.error);
  else if (status() == protocol::collab_status::active)
    static_cast<void>(end_if_over());
}

} // namespace convene::session
