#pragma once

#include <convene/runtime/log/files/descriptor.hpp>
#include <convene/runtime/outside/processes/supervisor.hpp>
#include <sys/types.h>

// A supervisor's reports on their way to convene, with the files that come
// with them (SCM_RIGHTS).

namespace convene::host {

/// Sends the report with the file. Allocates nothing: for the supervisor, after
/// its fork. False: it cannot be sent.
[[nodiscard]] bool send_with_file(int socket, supervisor_report what,
                                  int file) noexcept;

/// Takes the next report, if there is one, and the file that came with it, if
/// one did. Returns as recv.
[[nodiscard]] ssize_t receive_report(int socket, supervisor_report& into,
                                     descriptor& file) noexcept;

} // namespace convene::host
