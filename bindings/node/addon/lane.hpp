#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace convene::node {

/// A thread that runs one job after another; the first job starts it.
/// Thread-safe, except that `join` is called by one thread and never by a job.
class lane {
public:
  using job = std::function<void()>;

  lane() = default;
  lane(const lane&) = delete;
  lane& operator=(const lane&) = delete;
  ~lane();

  /// False after `stop`: the job is not run.
  [[nodiscard]] bool add(job what);

  /// The jobs that it has are still run.
  void stop();

  /// Waits for the end of the thread; expects `stop` before.
  void join();

  /// Whether `join` would return at once.
  [[nodiscard]] bool is_done() const;

private:
  void run();

  mutable std::mutex mutex_;
  std::condition_variable news_;
  std::deque<job> jobs_;    ///< guarded by mutex
  bool is_stopped_ = false; ///< likewise
  bool is_running_ = false; ///< likewise
  std::thread thread_;
};

} // namespace convene::node
