#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace convene::host {

/// Threads for work that may block, so that actors never do. Threads start when
/// work comes; nothing waits to get in: a full queue says so.
class blocking_pool {
public:
  /// At most `threads` jobs run and `queue_max` wait. On destruction those that
  /// run have `grace` to end.
  blocking_pool(std::size_t threads, std::size_t queue_max,
                std::chrono::milliseconds grace = std::chrono::seconds{1});

  blocking_pool(const blocking_pool&) = delete;
  blocking_pool& operator=(const blocking_pool&) = delete;

  /// Drops the jobs that wait and abandons those that hang: they may go on for
  /// as long as the process lives, and must own what they use.
  ~blocking_pool();

  /// Runs `job` on some thread, in the order of submission. False, with `job`
  /// destroyed, if the queue is full or no thread can be had. What a job throws
  /// is lost.
  [[nodiscard]] bool try_submit(std::function<void()> job);

private:
  struct shared_state;

  static void work(const std::shared_ptr<shared_state>& state,
                   std::size_t self);
  void start_thread();

  std::size_t threads_max_;
  std::size_t queue_max_;
  std::chrono::milliseconds grace_;
  std::shared_ptr<shared_state> state_; ///< outlives us where a thread hangs
  std::vector<std::thread> threads_;    ///< guarded by the state's mutex
};

} // namespace convene::host
