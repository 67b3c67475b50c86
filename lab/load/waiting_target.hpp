#pragma once

#include <convene/lab/load/load_target.hpp>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace convene::host {

/// The part of a target that is the same for all that run in real time: its
/// clock, and what other threads tell the generator.
class waiting_target : public load_target {
public:
  waiting_target();

  [[nodiscard]] load_time now() final;
  [[nodiscard]] std::vector<load_ending> take() final;

  /// Sleeps until shortly before and then looks at the clock, since a thread
  /// that sleeps is not woken in time.
  void wait_until(load_time when) final;

protected:
  /// From any thread.
  void tell(load_ending what);

private:
  const std::chrono::steady_clock::time_point begin_;
  std::mutex mutex_;
  std::condition_variable told_;
  std::vector<load_ending> endings_; ///< guarded by mutex
};

} // namespace convene::host
