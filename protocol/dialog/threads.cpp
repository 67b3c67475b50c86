#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/dialog/threads.hpp>

#include <algorithm>
#include <limits>

namespace convene::protocol {
namespace {

timestamp_ms began(const dialog* what) {
  constexpr auto never = std::numeric_limits<timestamp_ms>::max();
  return what->started_at ? parse_timestamp(*what->started_at).value_or(never)
                          : never;
}

} // namespace

thread_index::thread_index(std::span<const dialog> dialogs) {
  for (const auto& one : dialogs)
    if (one.thread_id)
      by_id_[*one.thread_id].push_back(&one);
  for (auto& [id, members] : by_id_)
    std::ranges::stable_sort(members, {}, began);
}

std::span<const dialog* const>
thread_index::find(std::string_view thread_id) const {
  const auto found = by_id_.find(thread_id);
  if (found == by_id_.end())
    return {};
  return found->second;
}

std::vector<std::string_view> thread_index::threads() const {
  std::vector<std::string_view> all;
  for (const auto& [id, members] : by_id_)
    all.emplace_back(id);
  return all;
}

} // namespace convene::protocol
