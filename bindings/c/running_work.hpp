#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>

namespace convene::c_api {

/// Work that ends early: after its time, or by `interrupt_all`.
class running_work {
public:
  /// Without a limit, only by `interrupt_all`.
  explicit running_work(std::optional<std::chrono::milliseconds> limit);
  running_work(const running_work&) = delete;
  running_work& operator=(const running_work&) = delete;
  ~running_work();

  /// Whether it is to end.
  [[nodiscard]] const std::atomic<bool>& stop() const noexcept {
    return stop_;
  }

  /// Has all work of the process that runs now end.
  static void interrupt_all();

private:
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread timer_; ///< waits for the limit, if there is one
};

} // namespace convene::c_api
