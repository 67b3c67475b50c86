#pragma once

#include <convene/actors/behaviours/behaviour.hpp>

namespace convene::actors {

/// What an orchestrator gives up on when a step has used up its retries.
enum class on_failure : std::uint8_t {
  fail, ///< the session
  skip, ///< the step
};

/// How an orchestrator goes about the session's plan.
struct plan_options {
  std::int64_t retries = 1; ///< of a step that did not succeed
  actors::on_failure on_failure = actors::on_failure::fail;
  std::int64_t rounds = 1; ///< turns for each participant, if there is no plan

  bool operator==(const plan_options&) const = default;
};

/// An orchestrator's decision, as a function of what it is shown: the first
/// ready step is dispatched to whom it is assigned; a step that has used up its
/// retries, or whose dispatch was refused, is closed. Without a plan everybody
/// else who can act gets the session's task, in roster order. Waits while
/// something is outstanding. After a decision that only closes steps it expects
/// to be asked again.
[[nodiscard]] std::vector<protocol::decision>
decide_by_plan(const turn_request& asked, const plan_options& how);

/// Decides by the plan; asked for anything else, it says "echo: " and the task.
/// Behaviours `plan` and `echo`.
class plan_behaviour final : public behaviour {
public:
  explicit plan_behaviour(plan_options how = {}) : how_{how} {
    // nop
  }

  answer respond(const turn_request& asked) override;

  [[nodiscard]] bool acts_outside() const noexcept override {
    return false;
  }

private:
  plan_options how_;
};

} // namespace convene::actors
