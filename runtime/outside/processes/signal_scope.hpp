#pragma once

namespace convene::host {

/// From now on, this process and its descendants can send signals only to each
/// other, and trace only each other: they cannot stop or kill the supervisor
/// and convene. Needs no_new_privs and Linux 6.12 with Landlock; without these
/// it does nothing. Returns whether it is so. Only calls that are safe after a
/// fork.
bool signal_own_processes_only() noexcept;

} // namespace convene::host
