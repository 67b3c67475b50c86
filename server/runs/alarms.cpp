#include <convene/server/runs/alarms.hpp>

#include <algorithm>

namespace convene::server {

alarms::alarms() : thread_{[this] { run(); }} {}

alarms::~alarms() {
  stop();
}

void alarms::stop() {
  {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable())
    thread_.join();
}

alarms::clock::time_point alarms::in(std::chrono::milliseconds time) {
  using std::chrono::milliseconds;
  constexpr milliseconds year = std::chrono::hours{24 * 365};
  return clock::now() + std::clamp(time, milliseconds{0}, year);
}

alarms::key alarms::at(clock::time_point when, std::function<void()> then) {
  const std::lock_guard lock{mutex_};
  const key made{when, ++count_};
  const auto place = calls_.emplace(made, std::move(then)).first;
  if (place == calls_.begin())
    changed_.notify_one();
  return made;
}

void alarms::cancel(const key& which) {
  const std::lock_guard lock{mutex_};
  calls_.erase(which);
}

void alarms::run() {
  std::unique_lock lock{mutex_};
  while (!stopping_) {
    if (calls_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const auto first = calls_.begin();
    const auto when = first->first.first;
    if (when > clock::now()) {
      changed_.wait_until(lock, when);
      continue;
    }
    const auto then = std::move(first->second);
    calls_.erase(first);
    lock.unlock();
    then();
    lock.lock();
  }
}

} // namespace convene::server
