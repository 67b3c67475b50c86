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
  left({session});
}

void session_departures::left(const std::vector<protocol::uuid>& sessions) {
  const std::lock_guard held{mutex_};
  left_.insert(left_.end(), sessions.begin(), sessions.end());
  has_some_ = !left_.empty();
}

} // namespace convene::host
