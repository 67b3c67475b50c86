#pragma once

#include <convene/actors/behaviours/behaviour.hpp>

namespace convene::actors {

/// What an orchestrator gives up when a step has exhausted its retries.
enum class on_failure : std::uint8_t {
  fail, ///< the session
  skip, ///< the step
};

/// How an orchestrator executes the session's plan.
struct plan_options {
  std::int64_t retries = 1; ///< of a step that did not succeed
  actors::on_failure on_failure = actors::on_failure::fail;
  std::int64_t rounds = 1; ///< turns for each participant, if there is no plan

  bool operator==(const plan_options&) const = default;
};

/// An orchestrator's decision, as a function of the request: the first ready
/// step is dispatched to its assignee; a step that has exhausted its retries,
/// or whose dispatch was refused, is closed. Without a plan, everybody else who
/// can act gets the session's task, in roster order. Waits while anything is
/// outstanding. After a decision that only closes steps, it expects to be asked
/// again.
[[nodiscard]] std::vector<protocol::decision>
decide_by_plan(const turn_request& asked, const plan_options& how);

/// Decides by the plan; answers any other request with "echo: " and the task.
/// Implements the behaviours `plan` and `echo`.
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
