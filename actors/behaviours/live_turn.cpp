#include <convene/actors/behaviours/live_turn.hpp>

#include <utility>

namespace convene::actors {

bool live_turn::attempt(protocol::reply what) {
  {
    const std::lock_guard held{mutex_};
    if (over_ || answered_ || attempts_ == attempts_max)
      return false;
    ++attempts_;
  }
  send_(std::move(what));
  return true;
}

bool live_turn::write(protocol::resource_write what) {
  protocol::reply carrier;
  carrier.writes.push_back(std::move(what));
  return attempt(std::move(carrier));
}

bool live_turn::claim(protocol::claim what) {
  protocol::reply carrier;
  carrier.claim.push_back(std::move(what));
  return attempt(std::move(carrier));
}

bool live_turn::is_over() const {
  const std::lock_guard held{mutex_};
  return over_;
}

std::size_t live_turn::when_over(std::function<void()> then) {
  {
    const std::lock_guard held{mutex_};
    if (!over_) {
      then_.emplace(++last_number_, std::move(then));
      return last_number_;
    }
  }
  then();
  return 0;
}

void live_turn::forget(std::size_t number) {
  const std::lock_guard held{mutex_};
  then_.erase(number);
}

void live_turn::close() {
  std::map<std::size_t, std::function<void()>> all;
  {
    const std::lock_guard held{mutex_};
    over_ = true;
    all = std::exchange(then_, {});
  }
  for (const auto& [number, then] : all)
    then();
}

void live_turn::finish() {
  std::map<std::size_t, std::function<void()>> none; // goes without the lock
  const std::lock_guard held{mutex_};
  answered_ = true;
  none.swap(then_);
}

} // namespace convene::actors
