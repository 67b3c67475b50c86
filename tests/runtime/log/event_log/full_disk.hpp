#pragma once

#include <sys/resource.h>

#include <csignal>

namespace convene::tests {

/// Files of this process end at `bytes`, as on a full disk.
class full_disk {
public:
  explicit full_disk(rlim_t bytes) : handler_{std::signal(SIGXFSZ, SIG_IGN)} {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~full_disk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  full_disk(const full_disk&) = delete;
  full_disk& operator=(const full_disk&) = delete;

private:
  rlimit before_{};
  void (*handler_)(int);
};

} // namespace convene::tests
