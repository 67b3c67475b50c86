#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace convene::server {

/// Calls functions at their times, one after the other, on a thread of its own.
/// Thread-safe.
class alarms {
public:
  using clock = std::chrono::steady_clock;
  /// Names a call, for `cancel`.
  using key = std::pair<clock::time_point, std::uint64_t>;

  alarms();
  alarms(const alarms&) = delete;
  alarms& operator=(const alarms&) = delete;
  /// Stops.
  ~alarms();

  /// Drops what is not due, and waits for the call that is being made; nothing
  /// is called from then on. Not to be called by a call.
  void stop();

  /// Calls `then` at `when`, or soon if that has passed. It must not throw, or
  /// block for long.
  key at(clock::time_point when, std::function<void()> then);

  /// When so much time will have passed: from now to in a year. What is due
  /// later than that is called too early, and has to look again; the clock does
  /// not reach as far as dates do.
  [[nodiscard]] static clock::time_point in(std::chrono::milliseconds time);

  /// Drops a call, unless it was made or is being made.
  void cancel(const key& which);

private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::uint64_t count_ = 0;
  std::map<key, std::function<void()>> calls_;
  std::thread thread_;
};

} // namespace convene::server
