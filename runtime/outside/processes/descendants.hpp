#pragma once

#include <sys/types.h>

// Which processes have come from this one. Allocates nothing: for the
// supervisor, after its fork.

namespace convene::host {

/// Sends SIGTERM, and SIGCONT so that it arrives, to all descendants of this
/// process, whatever session they are in. Misses those that are only made
/// meanwhile.
void end_descendants() noexcept;

/// Sends SIGKILL to the children of a supervisor and to the groups that they
/// lead. Their own children become children of the supervisor, which is a
/// subreaper, even if it is stopped: after enough calls none is left, also of
/// those that fork continuously.
void kill_children_of(pid_t supervisor) noexcept;

} // namespace convene::host
