#include <convene/runtime/blocking_pool/blocking_pool.hpp>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

namespace convene::host {

struct blocking_pool::shared_state {
  struct waiting_job {
    job_id id = 0;
    std::function<void()> run;
  };

  std::mutex mutex;
  std::condition_variable wake;  ///< a job came, or the end
  std::condition_variable ended; ///< a job has, or a thread is about to
  std::deque<waiting_job> queue;
  std::set<job_id> running;
  std::set<job_id> abandoned; ///< of those that run
  job_id last_id = 0;
  std::size_t threads_max = 0;
  std::size_t replacements_max = 0;
  std::size_t live = 0; ///< threads that have not ended
  bool closed = false;
  std::vector<bool> done; ///< by thread

  [[nodiscard]] std::size_t capacity() const {
    return threads_max + std::min(abandoned.size(), replacements_max);
  }
  [[nodiscard]] bool is_idle() const {
    return running.empty() && queue.empty();
  }

  /// Whose jobs this thread runs; null: nobody's.
  static thread_local const shared_state* of_thread;
};

thread_local const blocking_pool::shared_state*
  blocking_pool::shared_state::of_thread
  = nullptr;

void blocking_pool::work(const std::shared_ptr<shared_state>& state,
                         std::size_t self) {
  shared_state::of_thread = state.get();
  std::unique_lock lock{state->mutex};
  // A replacement goes once whom it stood in for is back.
  while (state->live <= state->capacity()) {
    state->wake.wait(lock,
                     [&] { return state->closed || !state->queue.empty(); });
    if (state->closed)
      break;
    auto job = std::move(state->queue.front());
    state->queue.pop_front();
    state->running.insert(job.id);
    lock.unlock();
    try {
      job.run();
    } catch (...) {
      // the job's own business
    }
    job.run = nullptr;
    lock.lock();
    state->running.erase(job.id);
    state->abandoned.erase(job.id);
    if (state->is_idle())
      state->ended.notify_all();
  }
  --state->live;
  state->done[self] = true;
  state->ended.notify_all();
}

blocking_pool::blocking_pool(const pool_limits& limits)
  : queue_max_{limits.queue}, grace_{limits.grace},
    state_{std::make_shared<shared_state>()} {
  state_->threads_max = limits.threads;
  state_->replacements_max = limits.replacements;
}

blocking_pool::~blocking_pool() {
  std::unique_lock lock{state_->mutex};
  state_->closed = true;
  auto dropped = std::exchange(state_->queue, {});
  state_->wake.notify_all();
  lock.unlock();
  dropped.clear(); // may run code of the jobs' owners
  lock.lock();
  state_->ended.wait_for(lock, grace_, [&] { return state_->live == 0; });
  const auto done = state_->done;
  lock.unlock();
  for (std::size_t i = 0; i < threads_.size(); ++i)
    if (threads_[i].joinable()) {
      if (done[i])
        threads_[i].join();
      else
        threads_[i].detach();
    }
}

job_id blocking_pool::try_submit(std::function<void()> job) {
  const std::lock_guard lock{state_->mutex};
  const auto unfinished = state_->queue.size() + state_->running.size();
  if (unfinished >= state_->live && state_->live < state_->capacity())
    start_thread();
  if (state_->live == 0 || unfinished >= state_->live + queue_max_)
    return 0;
  state_->queue.push_back({++state_->last_id, std::move(job)});
  state_->wake.notify_one();
  return state_->last_id;
}

void blocking_pool::abandon(job_id id) {
  std::function<void()> dropped; // may run code of the job's owner
  const std::lock_guard lock{state_->mutex};
  auto& queue = state_->queue;
  const auto waiting = std::ranges::find(queue, id,
                                         &shared_state::waiting_job::id);
  if (waiting != queue.end()) {
    dropped = std::move(waiting->run);
    queue.erase(waiting);
    state_->ended.notify_all();
  } else if (state_->running.contains(id)) {
    state_->abandoned.insert(id);
    if (!queue.empty() && state_->live < state_->capacity())
      start_thread();
  }
}

std::size_t blocking_pool::waiting() const {
  const std::lock_guard lock{state_->mutex};
  return state_->queue.size();
}

bool blocking_pool::wait_until_idle(std::chrono::milliseconds limit) {
  constexpr std::chrono::hours longest{24 * 365};
  std::unique_lock lock{state_->mutex};
  return state_->ended.wait_for(
    lock, std::min<std::chrono::milliseconds>(limit, longest),
    [this] { return state_->is_idle(); });
}

bool blocking_pool::runs_caller() const noexcept {
  return shared_state::of_thread == state_.get();
}

std::size_t blocking_pool::hung() const {
  const std::lock_guard lock{state_->mutex};
  return state_->abandoned.size();
}

/// Expects the mutex to be held. Where the system has no thread left, those
/// that run already do the work.
void blocking_pool::start_thread() {
  auto& done = state_->done;
  const auto ended = std::ranges::find(done, true);
  const auto slot = static_cast<std::size_t>(ended - done.begin());
  if (ended != done.end()) {
    // It has let go of the mutex and does nothing more.
    if (threads_[slot].joinable())
      threads_[slot].join();
  } else {
    done.push_back(true);
    threads_.emplace_back();
  }
  try {
    threads_[slot] = std::thread{&blocking_pool::work, state_, slot};
    done[slot] = false;
    ++state_->live;
  } catch (const std::system_error&) {
    // The place stays free.
  }
}

} // namespace convene::host
