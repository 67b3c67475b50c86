#include <convene/runtime/log/event_log/session_departures.hpp>

#include <utility>

namespace convene::host {

std::vector<protocol::uuid> session_departures::take() {
  if (!has_some_.exchange(false))
    return {};
  const std::lock_guard held{mutex_};
  return std::exchange(left_, {});
}

void session_departures::put_back(const protocol::uuid& session) {
  add({session});
}

void session_departures::call_when_left(std::function<void()> call) {
  const std::lock_guard held{mutex_};
  when_left_ = std::move(call);
}

void session_departures::left(const std::vector<protocol::uuid>& sessions) {
  if (sessions.empty())
    return;
  add(sessions);
  const auto call = [this] {
    const std::lock_guard held{mutex_};
    return when_left_;
  }();
  if (call)
    call();
}

void session_departures::add(const std::vector<protocol::uuid>& sessions) {
  const std::lock_guard held{mutex_};
  left_.insert(left_.end(), sessions.begin(), sessions.end());
  has_some_ = !left_.empty();
}

} // namespace convene::host
