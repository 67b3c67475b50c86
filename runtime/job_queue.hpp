#pragma once

#include <caf/resumable.hpp>

#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>

namespace convene::host {

/// What a worker has to do, taken from both ends. Thread-safe. Each call takes
/// the same time however much there is: CAF's own queue walks through all of it
/// to take from its tail, which is what a worker does that steals from another.
class job_queue {
public:
  void append(caf::resumable* job) {
    const lock guard{mutex_};
    jobs_.push_back(job);
    count_.store(jobs_.size(), std::memory_order_relaxed);
  }
  void prepend(caf::resumable* job) {
    const lock guard{mutex_};
    jobs_.push_front(job);
    count_.store(jobs_.size(), std::memory_order_relaxed);
  }

  /// The first one, or null.
  [[nodiscard]] caf::resumable* take_head() {
    return take([this] {
      auto* const job = jobs_.front();
      jobs_.pop_front();
      return job;
    });
  }
  /// The last one, or null.
  [[nodiscard]] caf::resumable* take_tail() {
    return take([this] {
      auto* const job = jobs_.back();
      jobs_.pop_back();
      return job;
    });
  }

  /// May miss what another thread adds meanwhile.
  [[nodiscard]] bool empty() const noexcept {
    return count_.load(std::memory_order_relaxed) == 0;
  }

private:
  /// Tries for a moment before it sleeps: nobody has it for long.
  class lock {
  public:
    explicit lock(std::mutex& of) : of_(of) {
      constexpr int tries = 100;
      for (int i = 0; i < tries; ++i)
        if (of_.try_lock())
          return;
      of_.lock();
    }
    ~lock() {
      of_.unlock();
    }
    lock(const lock&) = delete;
    lock& operator=(const lock&) = delete;

  private:
    std::mutex& of_;
  };

  template <class Take>
  caf::resumable* take(Take from) {
    if (empty()) // who polls locks nothing
      return nullptr;
    const lock guard{mutex_};
    if (jobs_.empty())
      return nullptr;
    auto* const job = from();
    count_.store(jobs_.size(), std::memory_order_relaxed);
    return job;
  }

  std::mutex mutex_;
  std::deque<caf::resumable*> jobs_; ///< guarded by `mutex_`
  std::atomic<std::size_t> count_ = 0;
};

} // namespace convene::host
