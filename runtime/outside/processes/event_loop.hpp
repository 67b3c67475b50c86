#pragma once

#include <convene/runtime/log/files/descriptor.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace convene::host {

/// Files, times and jobs for one thread, by epoll. Only `post` may be called on
/// other threads. What it calls must not throw.
class event_loop {
public:
  using clock = std::chrono::steady_clock;
  using watch_id = std::uint64_t;
  using timer_id = std::pair<clock::time_point, std::uint64_t>;

  /// Throws std::system_error if the system has no file left.
  event_loop();

  /// Runs until `quit`, on the calling thread.
  void run();
  void quit() {
    quit_ = true;
  }

  /// Runs `job` on the loop's thread, in order, soon; also if it is called
  /// there. After the end of `run`, jobs are dropped.
  void post(std::function<void()> job);

  /// Calls `then` with the events of epoll, as long as there are any, until
  /// `forget`. The file stays the caller's. 0: the system refused it.
  watch_id watch(int file, std::uint32_t events,
                 std::function<void(std::uint32_t)> then);
  /// Other events, for the same file.
  void change(watch_id which, std::uint32_t events);
  /// Before the file is closed. Nothing for 0 or what is forgotten already.
  void forget(watch_id which);

  timer_id after(std::chrono::milliseconds time, std::function<void()> then);
  /// Nothing if it has passed.
  void cancel(const timer_id& which);

private:
  struct watched {
    int file;
    std::shared_ptr<std::function<void(std::uint32_t)>> then;
  };

  /// Whether there are more already.
  bool run_jobs();
  void run_timers();
  [[nodiscard]] int wait_ms() const;

  descriptor poll_;
  descriptor wake_;
  bool quit_ = false;
  std::atomic<std::thread::id> runner_{};
  std::uint64_t last_id_ = 0;
  std::unordered_map<watch_id, watched> watched_;
  std::map<timer_id, std::function<void()>> timers_;
  std::mutex mutex_;
  std::vector<std::function<void()>> jobs_; ///< guarded by mutex, as is
  bool is_over_ = false;                    ///< that `run` has ended
};

} // namespace convene::host
