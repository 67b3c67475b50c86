#pragma once

// Which processes have come from this one. Allocates nothing: for the
// supervisor, after its fork.

namespace convene::host {

/// Sends SIGTERM, and SIGCONT so that it arrives, to all descendants of this
/// process, whatever session they are in. Misses those that are only made
/// meanwhile.
void end_descendants() noexcept;

/// Sends SIGKILL to the children of this process and to the groups that they
/// lead. Their own children become children of this process, which is a
/// subreaper: after enough calls nobody is left, also of those who fork
/// continuously.
void kill_children() noexcept;

} // namespace convene::host
