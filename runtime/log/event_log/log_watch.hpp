#pragma once

#include <convene/runtime/log/files/change_notices.hpp>

#include <chrono>
#include <filesystem>

namespace convene::host {

/// Waits for a log to grow: notified by the system if possible, otherwise by
/// polling.
class log_watch {
public:
  /// `log` as for `log_segments`. Reports what is written from now on.
  explicit log_watch(const std::filesystem::path& log);

  /// Returns once something may have been written, after `longest`, or at once
  /// when stopped. False: it was stopped. For one thread at a time.
  [[nodiscard]] bool
  wait(std::chrono::milliseconds longest = std::chrono::seconds{1});

  /// Ends waiting permanently. Callable from any thread.
  void stop() noexcept {
    notices_.stop();
  }

  [[nodiscard]] bool stopped() const noexcept {
    return notices_.stopped();
  }

private:
  change_notices notices_;
};

} // namespace convene::host
