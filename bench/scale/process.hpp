#pragma once

// What this process uses, by the kernel's account.

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <fstream>
#include <string>

namespace convene::bench {

inline std::size_t resident_bytes() {
  std::size_t total = 0;
  std::size_t pages = 0;
  std::ifstream{"/proc/self/statm"} >> total >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// What the program has allocated and not freed. Resident memory that is more
/// is the allocator's, which keeps what it needed at the busiest moment.
inline std::size_t allocated_bytes() {
  const auto now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

/// The most that was resident so far.
inline std::size_t peak_bytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<std::size_t>(used.ru_maxrss) * 1024;
}

struct cpu_use {
  double user = 0;   ///< seconds
  double system = 0; ///< seconds
  double faults = 0; ///< of pages, without reading any

  [[nodiscard]] double seconds() const {
    return user + system;
  }
  cpu_use operator-(const cpu_use& earlier) const {
    return {user - earlier.user, system - earlier.system,
            faults - earlier.faults};
  }
};

inline cpu_use cpu_used() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto in_seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec)
           + static_cast<double>(time.tv_usec) / 1e6;
  };
  return {in_seconds(used.ru_utime), in_seconds(used.ru_stime),
          static_cast<double>(used.ru_minflt)};
}

inline double cpu_seconds() {
  return cpu_used().seconds();
}

inline double seconds_since(std::chrono::steady_clock::time_point begun) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun)
    .count();
}

/// The machine's load in the last minute.
inline std::string load() {
  std::string out;
  std::ifstream{"/proc/loadavg"} >> out;
  return out;
}

} // namespace convene::bench
