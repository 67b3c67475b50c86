#include <convene/cli/stack_limits.hpp>
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace convene::cli {
namespace {

constexpr std::size_t least_bytes = std::size_t{1} << 20;
constexpr std::size_t usual_bytes = std::size_t{8} << 20;

/// Threads get a stack as large as the limit was when the program began.
bool reserve_for_threads() {
  pthread_attr_t how;
  if (pthread_getattr_default_np(&how) != 0)
    return true;
  std::size_t bytes = 0;
  bool enough = pthread_attr_getstacksize(&how, &bytes) != 0
                || bytes >= least_bytes;
  if (!enough)
    enough = pthread_attr_setstacksize(&how, usual_bytes) == 0
             && pthread_setattr_default_np(&how) == 0;
  pthread_attr_destroy(&how);
  return enough;
}

} // namespace

protocol::result<void> reserve_stacks() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < least_bytes) {
    limit.rlim_cur = std::min<rlim_t>(usual_bytes, limit.rlim_max);
    if (limit.rlim_cur < least_bytes || ::setrlimit(RLIMIT_STACK, &limit) != 0)
      return protocol::fail(protocol::errc::io_failed,
                            "the limit for the stack is below "
                              + std::to_string(least_bytes >> 10)
                              + " KiB; raise it (ulimit -s)",
                            "stack");
  }
  if (!reserve_for_threads())
    return protocol::fail(protocol::errc::io_failed,
                          "threads cannot get a stack of "
                            + std::to_string(usual_bytes >> 20)
                            + " MiB; raise the limit (ulimit -s)",
                          "stack");
  return {};
}

} // namespace convene::cli
