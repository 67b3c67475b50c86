#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace convene::host {

/// Names a job of a pool; 0: none.
using job_id = std::uint64_t;

/// How large a pool may grow.
struct pool_limits {
  std::size_t threads = 32; ///< jobs that run at once
  std::size_t queue = 4096; ///< jobs that wait
  /// Threads that may take the place of those with an abandoned job.
  std::size_t replacements = 64;
  /// What those that run have to end when the pool does.
  std::chrono::milliseconds grace = std::chrono::seconds{1};
};

/// Threads for work that may block, so that actors never do. Threads start when
/// work comes; nothing waits to get in: a full queue says so. Thread-safe.
class blocking_pool {
public:
  explicit blocking_pool(const pool_limits& limits);

  blocking_pool(const blocking_pool&) = delete;
  blocking_pool& operator=(const blocking_pool&) = delete;

  /// Drops the jobs that wait and leaves those that hang: they may go on for
  /// as long as the process lives, and must own what they use.
  ~blocking_pool();

  /// Runs `job` on some thread, in the order of submission. 0, with `job`
  /// destroyed, if the queue is full or no thread can be had. What a job throws
  /// is lost.
  [[nodiscard]] job_id try_submit(std::function<void()> job);

  /// Nobody waits for the job any more. One that has not begun is dropped; the
  /// thread of one that runs is replaced, as far as the limits allow, until the
  /// job ends.
  void abandon(job_id id);

  /// Abandoned jobs that still run.
  [[nodiscard]] std::size_t hung() const;

private:
  struct shared_state;

  static void work(const std::shared_ptr<shared_state>& state,
                   std::size_t self);
  void start_thread();

  std::size_t queue_max_;
  std::chrono::milliseconds grace_;
  std::shared_ptr<shared_state> state_; ///< outlives us where a thread hangs
  std::vector<std::thread> threads_;    ///< guarded by the state's mutex
};

} // namespace convene::host
