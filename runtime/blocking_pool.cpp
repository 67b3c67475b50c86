#include <convene/runtime/blocking_pool.hpp>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <utility>

namespace convene::host {

struct blocking_pool::shared_state {
  std::mutex mutex;
  std::condition_variable wake;  ///< a job came, or the end
  std::condition_variable ended; ///< a thread is about to end
  std::deque<std::function<void()>> queue;
  std::size_t running = 0;
  bool closed = false;
  std::vector<bool> done; ///< by thread
};

void blocking_pool::work(const std::shared_ptr<shared_state>& state,
                         std::size_t self) {
  std::unique_lock lock{state->mutex};
  for (;;) {
    state->wake.wait(lock,
                     [&] { return state->closed || !state->queue.empty(); });
    if (state->closed)
      break;
    auto job = std::move(state->queue.front());
    state->queue.pop_front();
    ++state->running;
    lock.unlock();
    try {
      job();
    } catch (...) {
      // the job's own business
    }
    job = nullptr;
    lock.lock();
    --state->running;
  }
  state->done[self] = true;
  state->ended.notify_all();
}

blocking_pool::blocking_pool(std::size_t threads, std::size_t queue_max,
                             std::chrono::milliseconds grace)
  : threads_max_{threads}, queue_max_{queue_max}, grace_{grace},
    state_{std::make_shared<shared_state>()} {
  // nop
}

blocking_pool::~blocking_pool() {
  std::unique_lock lock{state_->mutex};
  state_->closed = true;
  auto dropped = std::exchange(state_->queue, {});
  state_->wake.notify_all();
  lock.unlock();
  dropped.clear(); // may run code of the jobs' owners
  lock.lock();
  state_->ended.wait_for(lock, grace_, [&] {
    return std::ranges::find(state_->done, false) == state_->done.end();
  });
  const auto done = state_->done;
  lock.unlock();
  for (std::size_t i = 0; i < threads_.size(); ++i)
    if (done[i])
      threads_[i].join();
    else
      threads_[i].detach();
}

bool blocking_pool::try_submit(std::function<void()> job) {
  const std::lock_guard lock{state_->mutex};
  const auto unfinished = state_->queue.size() + state_->running;
  if (unfinished >= threads_.size() && threads_.size() < threads_max_)
    start_thread();
  if (threads_.empty() || unfinished >= threads_.size() + queue_max_)
    return false;
  state_->queue.push_back(std::move(job));
  state_->wake.notify_one();
  return true;
}

/// Expects the mutex to be held. Where the system has no thread left, those
/// that run already do the work.
void blocking_pool::start_thread() {
  state_->done.push_back(false);
  try {
    threads_.emplace_back(&blocking_pool::work, state_, threads_.size());
  } catch (const std::system_error&) {
    state_->done.pop_back();
  }
}

} // namespace convene::host
