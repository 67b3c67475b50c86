// Single agent: the steps of a plan go to the executors of their roles, several
// at once; the first step that fails for good ends the plan.

#include <convene/session/single_agent/step_dispatch.hpp>

namespace convene::modes {

extern const session::routing_policy single_agent{
  .name = "single_agent",
  .summary = "steps go to their roles' executors; a failed step ends the plan",
  .takes_turns = false,
  .needs_plan = true,
  .repeats_unknown = false,
  .decide = [](const session::view& now, session::memory) {
    return dispatch_steps(now, session::on_failure::abort);
  }};

} // namespace convene::modes
