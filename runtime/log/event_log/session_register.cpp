#include <convene/runtime/log/event_log/event_session.hpp>
#include <convene/runtime/log/event_log/session_register.hpp>

namespace convene::host {

bool session_register::add(std::string_view id) {
  const std::lock_guard held{mutex_};
  return ids_.emplace(id).second;
}

void session_register::take_back(std::string_view id) {
  const std::lock_guard held{mutex_};
  ids_.erase(std::string{id});
}

std::size_t session_register::size() const {
  const std::lock_guard held{mutex_};
  return ids_.size();
}

void session_register::saw(std::uint32_t segment, std::string_view line) {
  if (!is_of_type(line, "MAPSessionCompleted"))
    return;
  const auto id = session_of(line);
  if (!id)
    return;
  const std::lock_guard held{mutex_};
  ended_[segment].push_back(to_string(*id));
}

void session_register::opened() {
  // nop
}

void session_register::removed(std::uint32_t through) {
  const std::lock_guard held{mutex_};
  const auto rest = ended_.upper_bound(through);
  for (auto at = ended_.begin(); at != rest; ++at)
    for (const auto& id : at->second)
      ids_.erase(id);
  ended_.erase(ended_.begin(), rest);
}

} // namespace convene::host
