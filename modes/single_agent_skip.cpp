// Single agent, passing over what fails: as single_agent, but the steps that do
// not wait for a failed one go on.

#include <convene/session/single_agent/step_dispatch.hpp>

namespace convene::modes {

extern const session::routing_policy single_agent_skip{
  .name = "single_agent_skip",
  .summary = "steps go to their roles' executors; a failed step is passed over",
  .takes_turns = false,
  .needs_plan = true,
  .repeats_unknown = false,
  .decide = [](const session::view& now, session::memory) {
    return dispatch_steps(now, session::on_failure::skip);
  }};

} // namespace convene::modes
