#include <convene/actors/live_turn.hpp>

#include <utility>

namespace convene::actors {

bool live_turn::attempt(protocol::reply what) {
  {
    const std::lock_guard held{mutex_};
    if (over_ || attempts_ == attempts_max)
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

void live_turn::when_over(std::function<void()> then) {
  {
    const std::lock_guard held{mutex_};
    if (!over_ || !then) {
      then_ = std::move(then);
      return;
    }
  }
  then();
}

void live_turn::close() {
  std::function<void()> then;
  {
    const std::lock_guard held{mutex_};
    over_ = true;
    then = std::exchange(then_, nullptr);
  }
  if (then)
    then();
}

} // namespace convene::actors
