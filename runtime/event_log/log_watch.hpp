#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>

namespace convene::host {

/// Waits for a log to grow: woken by the system where it tells of changes
/// (inotify), else looking again after a while.
class log_watch {
public:
  /// `log` as for `log_segments`. What is written from now on wakes.
  explicit log_watch(const std::filesystem::path& log);

  log_watch(const log_watch&) = delete;
  log_watch& operator=(const log_watch&) = delete;
  ~log_watch();

  /// Returns once something may have been written, or after `longest`, or at
  /// once when stopped. False: it was stopped. For one thread at a time.
  [[nodiscard]] bool
  wait(std::chrono::milliseconds longest = std::chrono::seconds{1});

  /// Ends waiting, now and for ever. Callable from any thread.
  void stop() noexcept;

  [[nodiscard]] bool stopped() const noexcept {
    return stopped_;
  }

private:
  int changes_ = -1; // readable when a file has changed; -1: nobody tells
  int stop_ = -1;    // readable once stopped
  std::atomic<bool> stopped_{false};
};

} // namespace convene::host
