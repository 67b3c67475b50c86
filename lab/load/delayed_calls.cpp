#include <convene/lab/load/delayed_calls.hpp>

#include <utility>

namespace convene::host {

delayed_calls::delayed_calls()
  : thread_{[this](const std::stop_token& stop) { run(stop); }} {}

void delayed_calls::after(load_time delay, std::function<void()> call) {
  const std::lock_guard held{mutex_};
  calls_.emplace(clock::now() + delay, std::move(call));
  changed_.notify_one();
}

void delayed_calls::run(const std::stop_token& stop) {
  std::unique_lock held{mutex_};
  while (!stop.stop_requested()) {
    if (calls_.empty()) {
      changed_.wait(held, stop, [this] { return !calls_.empty(); });
      continue;
    }
    const auto next = calls_.begin()->first;
    if (clock::now() < next) {
      changed_.wait_until(held, stop, next, [this, next] {
        return calls_.begin()->first < next;
      });
      continue;
    }
    const auto due = calls_.extract(calls_.begin());
    held.unlock();
    due.mapped()();
    held.lock();
  }
}

} // namespace convene::host
