#pragma once

#include <convene/runtime/outside/processes/checked_place.hpp>
#include <sys/resource.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

// Between convene and each program stands a small process of ours, the
// supervisor. It adopts the program's orphans (PR_SET_CHILD_SUBREAPER), and so
// it knows when the last descendant has ended, and ends all of them when it is
// told to or when convene is no longer there.

namespace convene::host {

/// What the supervisor tells convene.
struct supervisor_report {
  enum class kind : std::int32_t {
    no_supervisor, ///< could not set itself up; value: errno
    no_fork,       ///< value: errno
    no_network,
    no_folder,
    replaced, ///< a place; value: its index
    no_limits,
    no_execution,
    listens, ///< in the program's network; comes with the socket
    ended,   ///< the program; value: its wait status
  };
  kind what = kind::ended;
  std::int32_t value = 0;
};

/// What convene tells the supervisor. The end of the connection means the same
/// as this, with the grace time of the start.
struct supervisor_order {
  std::int32_t grace_ms = 0; ///< between SIGTERM and SIGKILL
};

/// All that the supervisor and the program need, made before the fork: after
/// it, nothing may be allocated.
struct launch {
  const char* path = nullptr;
  char* const* arguments = nullptr;
  char* const* environment = nullptr;
  const char* folder = nullptr;
  const checked_place* places = nullptr;
  std::size_t places_count = 0;
  rlim_t cpu_seconds = RLIM_INFINITY;
  rlim_t memory_bytes = RLIM_INFINITY;
  std::int32_t grace_ms = 0;
  int control = -1; ///< a SOCK_SEQPACKET to convene
  int input = -1;
  int output = -1;
  int errors = -1;
  int filter = -1; ///< what the program has as descriptor 4; -1: nothing
  bool has_network = false; ///< one of its own
  /// Of the user namespace that the network needs; null: none, as root.
  const char* user_map = nullptr;
  const char* group_map = nullptr;
};

/// The supervisor's life, in a forked process. Only calls that are safe after a
/// fork of a process with several threads.
[[noreturn]] void supervise(const launch& what) noexcept;

} // namespace convene::host
