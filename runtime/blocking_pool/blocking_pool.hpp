#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace convene::host {

/// Identifies a job of a pool; 0: none.
using job_id = std::uint64_t;

/// The limits of a pool.
struct pool_limits {
  std::size_t threads = 32; ///< jobs that run at once
  std::size_t queue = 4096; ///< jobs that wait
  /// Threads that may replace those with an abandoned job.
  std::size_t replacements = 64;
  /// The time that running jobs have to end when the pool does.
  std::chrono::milliseconds grace = std::chrono::seconds{1};
};

/// Threads for work that may block, so that actors never do. Threads are
/// started on demand; submitting never waits: a full queue refuses.
/// Thread-safe.
class blocking_pool {
public:
  explicit blocking_pool(const pool_limits& limits);

  blocking_pool(const blocking_pool&) = delete;
  blocking_pool& operator=(const blocking_pool&) = delete;

  /// Drops waiting jobs and leaves hanging ones: they may run as long as the
  /// process lives, and must own what they use.
  ~blocking_pool();

  /// Runs `job` on some thread, in order of submission. Returns 0, with `job`
  /// destroyed, if the queue is full or no thread is available. Exceptions of a
  /// job are dropped.
  [[nodiscard]] job_id try_submit(std::function<void()> job);

  /// The job is no longer needed. One that has not begun is dropped; the thread
  /// of a running one is replaced, as far as the limits allow, until the job
  /// ends.
  void abandon(job_id id);

  /// Jobs that have not begun.
  [[nodiscard]] std::size_t waiting() const;

  /// Waits until no job runs or waits and all that ran are destroyed, for at
  /// most `limit`. False: one still runs or waits.
  [[nodiscard]] bool wait_until_idle(std::chrono::milliseconds limit);

  /// Whether a job of this pool calls.
  [[nodiscard]] bool runs_caller() const noexcept;

  /// Abandoned jobs that are still running.
  [[nodiscard]] std::size_t hung() const;

private:
  struct shared_state;

  static void work(const std::shared_ptr<shared_state>& state,
                   std::size_t self);
  void start_thread();

  std::size_t queue_max_;
  std::chrono::milliseconds grace_;
  std::shared_ptr<shared_state> state_; ///< outlives the pool if a thread hangs
  std::vector<std::thread> threads_;    ///< guarded by the state's mutex
};

} // namespace convene::host
