#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>

namespace convene::host {

/// Waits for a log to grow: notified by the system if possible (inotify),
/// otherwise by polling.
class log_watch {
public:
  /// `log` as for `log_segments`. Reports what is written from now on.
  explicit log_watch(const std::filesystem::path& log);

  log_watch(const log_watch&) = delete;
  log_watch& operator=(const log_watch&) = delete;
  ~log_watch();

  /// Returns once something may have been written, after `longest`, or at once
  /// when stopped. False: it was stopped. For one thread at a time.
  [[nodiscard]] bool
  wait(std::chrono::milliseconds longest = std::chrono::seconds{1});

  /// Ends waiting permanently. Callable from any thread.
  void stop() noexcept;

  [[nodiscard]] bool stopped() const noexcept {
    return stopped_;
  }

private:
  int changes_ = -1; // readable when a file has changed; -1: no notification
  int stop_ = -1;    // readable once stopped
  std::atomic<bool> stopped_{false};
};

} // namespace convene::host
