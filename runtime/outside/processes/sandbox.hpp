#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/outside/processes/processes.hpp>
#include <convene/runtime/outside/processes/program.hpp>

#include <string>

namespace convene::host {

/// Confines programs by bubblewrap.
struct sandbox {
  std::string bwrap;    ///< its file, absolute; empty: there is none
  bool network = false; ///< whether programs may use the network

  bool operator==(const sandbox&) const = default;
};

/// The same program, confined: it sees the system read-only, may write only in
/// its working folder, has a /tmp, /run, /proc and /dev of its own, and no
/// process, and unless it is allowed no network, but its own. Files in /tmp and
/// /run that its arguments name are there, read-only.
[[nodiscard]] program confine(program what, const sandbox& by);

/// Whether programs can be confined on this machine; waits for a program that
/// tries it. Else `activation_refused`, sandbox_missing, with the reason and
/// what to do. Not for the thread of `on`.
[[nodiscard]] protocol::result<void> check_sandbox(const sandbox& by,
                                                   processes& on);

} // namespace convene::host
