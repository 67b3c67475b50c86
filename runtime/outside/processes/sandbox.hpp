#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/outside/processes/processes.hpp>
#include <convene/runtime/outside/processes/program.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace convene::host {

/// Confines programs by bubblewrap.
struct sandbox {
  std::string bwrap;   ///< its file, absolute; empty: there is none
  std::string setpriv; ///< of util-linux, the same; used by root only
  /// What programs may read though it lies where the sandbox hides files;
  /// absolute, links resolved.
  std::vector<std::filesystem::path> readable = {};
  network_door network = {}; ///< if programs have a way out of theirs
};

/// The same program, confined. It sees the system read-only, may write only in
/// its working folder, a /tmp and a /dev/shm of its own, and sees no process
/// but its own. It has no network, or only the proxy behind `network`, which
/// variables like HTTPS_PROXY name. It cannot connect to sockets in the file
/// system, and `call_filter` judges its system calls. /run and /var/tmp are
/// empty. Of what is hidden there and in /tmp, it sees `readable` and what of
/// that its arguments name. It is not started if what is shown to it there, or
/// its working folder, was replaced since this call.
///
/// If convene runs as root, the program has the rights of `confined_user`. A
/// folder that this user may not enter is hidden in the same way, except for
/// the folder in it that the program is in. Errors: `activation_refused`,
/// sandbox_rights, if this user lacks rights to the program or its working
/// folder, with the command that grants them; the same if the working folder is
/// one of /proc, /sys and /dev or contains them.
[[nodiscard]] protocol::result<program> confine(program what,
                                                const sandbox& by);

/// Whether programs can be confined on this machine; waits for a program that
/// tries it. Else `activation_refused`, sandbox_missing, with the reason and
/// what to do. Not for the thread of `on`.
[[nodiscard]] protocol::result<void> check_sandbox(const sandbox& by,
                                                   processes& on);

} // namespace convene::host
