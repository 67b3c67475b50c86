// Single agent, passing over what fails: as single_agent, but the steps that do
// not wait for a failed one go on.

#include <convene/session/single_agent/step_dispatch.hpp>

namespace convene::modes {

extern const session::routing_policy single_agent_skip
  = session::single_agent_policy<session::on_failure::skip>(
    "single_agent_skip",
    "steps go to their roles' executors; a failed step is passed over");

} // namespace convene::modes
