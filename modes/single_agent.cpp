// Single agent: the steps of a plan go to the executors of their roles, several
// at once; the first step that fails for good ends the plan.

#include <convene/session/single_agent/step_dispatch.hpp>

namespace convene::modes {

extern const session::routing_policy single_agent
  = session::single_agent_policy<session::on_failure::abort>(
    "single_agent",
    "steps go to their roles' executors; a failed step ends the plan");

} // namespace convene::modes
