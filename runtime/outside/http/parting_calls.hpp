#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>

namespace convene::host {

/// Calls that are made when nobody waits for their answers any more, so that
/// the end of a program can wait for them. Thread-safe.
class parting_calls : public std::enable_shared_from_this<parting_calls> {
public:
  /// A call is under way as long as something keeps what this returns.
  [[nodiscard]] std::shared_ptr<void> begin();

  /// Returns once none is under way, or after `longest`.
  void wait(std::chrono::milliseconds longest);

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t open_ = 0; ///< guarded
};

} // namespace convene::host
