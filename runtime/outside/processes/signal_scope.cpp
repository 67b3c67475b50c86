#include <convene/runtime/outside/processes/signal_scope.hpp>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace convene::host {
namespace {

/// As in linux/landlock.h of Linux 6.12, which Debian 12 does not have yet.
struct landlock_rules {
  std::uint64_t handled_access_fs = 0;
  std::uint64_t handled_access_net = 0;
  std::uint64_t scoped = 0;
};

constexpr std::uint64_t scope_signal = 2;
constexpr unsigned give_version = 1;
constexpr long version_with_scopes = 6;

} // namespace

bool signal_own_processes_only() noexcept {
  if (syscall(SYS_landlock_create_ruleset, nullptr, 0, give_version)
      < version_with_scopes)
    return false;
  const landlock_rules rules{.scoped = scope_signal};
  const auto made = static_cast<int>(
    syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0));
  if (made < 0)
    return false;
  const bool is_done = syscall(SYS_landlock_restrict_self, made, 0) == 0;
  close(made);
  return is_done;
}

} // namespace convene::host
