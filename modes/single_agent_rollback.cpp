// Single agent, undoing what it did: as single_agent, and after a failed step
// the steps that were completed are compensated once the session has ended, by
// who runs it (docs/rollback.md).

#include <convene/session/single_agent/step_dispatch.hpp>

namespace convene::modes {

extern const session::routing_policy single_agent_rollback
  = session::single_agent_policy<session::on_failure::abort>(
    "single_agent_rollback",
    "as single_agent; after a failed step what was done is undone");

} // namespace convene::modes
