#include "lane.hpp"

#include <utility>

namespace convene::node {

lane::~lane() {
  stop();
  join();
}

bool lane::add(job what) {
  const std::lock_guard held{mutex_};
  if (is_stopped_)
    return false;
  if (!is_running_) {
    thread_ = std::thread{[this] { run(); }};
    is_running_ = true;
  }
  jobs_.push_back(std::move(what));
  news_.notify_one();
  return true;
}

void lane::stop() {
  const std::lock_guard held{mutex_};
  is_stopped_ = true;
  news_.notify_one();
}

void lane::join() {
  if (thread_.joinable())
    thread_.join();
}

bool lane::is_done() const {
  const std::lock_guard held{mutex_};
  return is_stopped_ && !is_running_;
}

void lane::run() {
  std::unique_lock held{mutex_};
  for (;;) {
    news_.wait(held, [this] { return !jobs_.empty() || is_stopped_; });
    if (jobs_.empty())
      break;
    auto next = std::exchange(jobs_.front(), {});
    jobs_.pop_front();
    held.unlock();
    next();
    next = {};
    held.lock();
  }
  is_running_ = false;
}

} // namespace convene::node
