#pragma once

#include <convene/lab/load/load_order.hpp>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>

namespace convene::host {

/// Calls functions after a while, on a thread of its own. Thread-safe. What is
/// left when it goes is not called.
class delayed_calls {
public:
  delayed_calls();
  delayed_calls(const delayed_calls&) = delete;
  delayed_calls& operator=(const delayed_calls&) = delete;

  void after(load_time delay, std::function<void()> call);

private:
  using clock = std::chrono::steady_clock;

  void run(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::multimap<clock::time_point, std::function<void()>> calls_; ///< guarded
  std::jthread thread_; ///< last: it goes first
};

} // namespace convene::host
