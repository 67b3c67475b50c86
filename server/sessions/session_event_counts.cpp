#include <convene/server/sessions/session_host.hpp>
#include <convene/server/shares/held_bytes.hpp>

#include <algorithm>
#include <utility>

namespace convene::server {

convene::observer
session_host::counts::observer_for(std::shared_ptr<counts> to) {
  return [to = std::move(to), own = std::shared_ptr<count>{}, was_over = false](
           std::string_view session_id, std::string_view lines) mutable {
    if (!own)
      own = to->count_of(session_id);
    own->events += static_cast<std::uint64_t>(std::ranges::count(lines, '\n'));
    own->share->grow(held_bytes(lines));
    if (own->share->is_over() && !std::exchange(was_over, true) && to->on_over)
      to->on_over(std::string{session_id});
  };
}

std::shared_ptr<session_host::counts::count>
session_host::counts::count_of(std::string_view session_id) {
  const std::lock_guard held{mutex_};
  auto& of = counts_[std::string{session_id}];
  if (!of)
    of = std::make_shared<count>(shares_.take_anyway());
  return of;
}

protocol::result<void>
session_host::counts::expect(const std::string& session_id,
                             const std::string& key, std::size_t bytes) {
  auto share = shares_.take(key, bytes);
  if (!share)
    return protocol::fail(std::move(share).error());
  const std::lock_guard held{mutex_};
  counts_[session_id] = std::make_shared<count>(*std::move(share));
  return {};
}

std::uint64_t session_host::counts::of(const std::string& session_id) const {
  const std::lock_guard held{mutex_};
  const auto found = counts_.find(session_id);
  return found == counts_.end() ? 0 : found->second->events.load();
}

void session_host::counts::release(const std::string& session_id) {
  const std::lock_guard held{mutex_};
  if (const auto found = counts_.find(session_id); found != counts_.end())
    found->second->share->release();
}

void session_host::counts::forget(const std::string& session_id) {
  const std::lock_guard held{mutex_};
  if (const auto found = counts_.find(session_id); found != counts_.end()) {
    found->second->share->release(); // who observes it may still be there
    counts_.erase(found);
  }
}

} // namespace convene::server
