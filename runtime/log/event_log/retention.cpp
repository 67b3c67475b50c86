#include <convene/runtime/log/event_log/event_session.hpp>
#include <convene/runtime/log/event_log/mutant.hpp>
#include <convene/runtime/log/event_log/retention.hpp>

namespace convene::host {

retention::retention(const removed_segments& removed) : removed_{removed} {
  // nop
}

void retention::saw(std::string_view line) {
  const auto id = session_of(line);
  if (!id)
    return;
  const auto newest = removed_.through
                      + static_cast<std::uint32_t>(closed_.size()) + 1;
  if (is_of_type(line, "MAPSessionCompleted")) {
    const auto found = unfinished_.find(*id);
    if (found == unfinished_.end())
      return;
    const auto begun = needed_.find(found->second);
    if (--begun->second == 0)
      needed_.erase(begun);
    unfinished_.erase(found);
  } else if (unfinished_.try_emplace(*id, newest).second) {
    ++needed_[newest];
  }
}

void retention::closed(std::uint64_t bytes, std::uint32_t last_crc) {
  closed_.push_back({bytes, last_crc});
}

removed_segments retention::removable(std::uint64_t keep_bytes) const {
  std::uint64_t bytes = 0;
  for (const auto& one : closed_)
    bytes += one.bytes;
  auto now = removed_;
  for (const auto& one : closed_) {
    const bool needed = !needed_.empty()
                        && needed_.begin()->first <= now.through + 1
                        && !off(log_mutant::needed_segments);
    if (bytes <= keep_bytes || needed)
      break;
    bytes -= one.bytes;
    now = {now.through + 1, one.last_crc};
  }
  return now;
}

void retention::removed(const removed_segments& now) {
  closed_.erase(closed_.begin(),
                closed_.begin() + (now.through - removed_.through));
  removed_ = now;
}

} // namespace convene::host
