// Single agent, undoing what it did: as single_agent, and after a failed step
// the steps that were completed are compensated once the session has ended, by
// who runs it (docs/rollback.md).

#include <convene/session/single_agent/step_dispatch.hpp>

namespace convene::modes {

extern const session::routing_policy single_agent_rollback{
  .name = "single_agent_rollback",
  .summary = "as single_agent; after a failed step what was done is undone",
  .takes_turns = false,
  .needs_plan = true,
  .repeats_unknown = false,
  .decide = [](const session::view& now, session::memory) {
    return dispatch_steps(now, session::on_failure::abort);
  }};

} // namespace convene::modes
