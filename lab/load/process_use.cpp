#include <convene/lab/load/process_use.hpp>
#include <time.h>
#include <unistd.h>

#include <fstream>

namespace convene::host {
namespace {

double seconds_on(clockid_t clock) {
  timespec used{};
  if (::clock_gettime(clock, &used) != 0)
    return 0;
  return static_cast<double>(used.tv_sec)
         + static_cast<double>(used.tv_nsec) / 1e9;
}

} // namespace

std::uint64_t resident_bytes() {
  std::ifstream file{"/proc/self/statm"};
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  if (!(file >> all >> resident))
    return 0;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

double process_cpu_seconds() {
  return seconds_on(CLOCK_PROCESS_CPUTIME_ID);
}

double thread_cpu_seconds() {
  return seconds_on(CLOCK_THREAD_CPUTIME_ID);
}

} // namespace convene::host
