#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/log/files/descriptor.hpp>
#include <convene/runtime/outside/processes/program.hpp>
#include <sys/types.h>

namespace convene::host {

/// A program that has been started, or whose start fails right now: then its
/// supervisor reports it.
struct spawned {
  pid_t supervisor = -1;
  descriptor control; ///< supervisor_report and supervisor_order
  descriptor input;   ///< these three as the program has them, nonblocking
  descriptor output;
  descriptor errors;
};

/// Forks the supervisor, which forks the program. Errors: `limit_reached`, if
/// the system has no file or process left.
[[nodiscard]] protocol::result<spawned> spawn(const program& what);

} // namespace convene::host
