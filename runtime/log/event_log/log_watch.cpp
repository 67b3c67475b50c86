#include <convene/runtime/log/event_log/log_watch.hpp>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace convene::host {

log_watch::log_watch(const std::filesystem::path& log) {
  stop_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (stop_ == -1)
    throw std::system_error(errno, std::generic_category(), "watching a log");
  changes_ = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (changes_ == -1)
    return;
  constexpr std::uint32_t what = IN_MODIFY | IN_CREATE | IN_MOVED_TO;
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(log, ignored);
  const auto beside = folder                  ? log
                      : log.has_parent_path() ? log.parent_path()
                                              : std::filesystem::path{"."};
  bool told = ::inotify_add_watch(changes_, beside.c_str(), what) != -1;
  if (folder)
    told |= ::inotify_add_watch(changes_, (log / "log").c_str(), what) != -1;
  if (!told) {
    ::close(changes_);
    changes_ = -1;
  }
}

log_watch::~log_watch() {
  if (changes_ != -1)
    ::close(changes_);
  ::close(stop_);
}

bool log_watch::wait(std::chrono::milliseconds longest) {
  constexpr std::chrono::milliseconds between_looks{50};
  if (changes_ == -1)
    longest = std::min(longest, between_looks);
  pollfd ready[] = {{stop_, POLLIN, 0}, {changes_, POLLIN, 0}};
  ::poll(ready, changes_ == -1 ? 1 : 2, static_cast<int>(longest.count()));
  // What changed is seen by reading the log; here it is only taken away.
  std::array<char, 4096> told;
  while (changes_ != -1 && ::read(changes_, told.data(), told.size()) > 0)
    continue;
  return !stopped_;
}

void log_watch::stop() noexcept {
  stopped_ = true;
  ::eventfd_write(stop_, 1);
}

} // namespace convene::host
