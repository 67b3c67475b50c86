#include <convene/runtime/log/event_log/log_watch.hpp>
#include <sys/inotify.h>

#include <algorithm>
#include <system_error>

namespace convene::host {

log_watch::log_watch(const std::filesystem::path& log) {
  constexpr std::uint32_t what = IN_MODIFY | IN_CREATE | IN_MOVED_TO;
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(log, ignored);
  const auto beside = folder                  ? log
                      : log.has_parent_path() ? log.parent_path()
                                              : std::filesystem::path{"."};
  bool notified = notices_.add(beside, what).has_value();
  if (folder)
    notified |= notices_.add(log / "log", what).has_value();
  if (!notified)
    notices_.give_up();
}

bool log_watch::wait(std::chrono::milliseconds longest) {
  constexpr std::chrono::milliseconds between_looks{50};
  if (!notices_.notified())
    longest = std::min(longest, between_looks);
  // What changed is seen by reading the log; here it is only taken away.
  if (notices_.wait(longest))
    notices_.take([](int, std::uint32_t, std::string_view) {});
  return !notices_.stopped();
}

} // namespace convene::host
