#include <convene/server/sessions/session_host.hpp>

#include <algorithm>

namespace convene::server {

convene::observer
session_host::counts::observer_for(std::shared_ptr<counts> to) {
  return [to = std::move(to), own = count{}](std::string_view session_id,
                                             std::string_view lines) mutable {
    if (!own) {
      own = std::make_shared<std::atomic<std::uint64_t>>(0);
      const std::lock_guard held{to->mutex_};
      to->counts_[std::string{session_id}] = own;
    }
    *own += static_cast<std::uint64_t>(std::ranges::count(lines, '\n'));
  };
}

std::uint64_t session_host::counts::of(const std::string& session_id) const {
  const std::lock_guard held{mutex_};
  const auto found = counts_.find(session_id);
  return found == counts_.end() ? 0 : found->second->load();
}

void session_host::counts::forget(const std::string& session_id) {
  const std::lock_guard held{mutex_};
  counts_.erase(session_id);
}

} // namespace convene::server
