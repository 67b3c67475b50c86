#include <convene/runtime/log/event_log/event_session.hpp>
#include <convene/runtime/log/event_log/mutant.hpp>
#include <convene/runtime/log/event_log/retention.hpp>

namespace convene::host {

retention::retention(const removed_segments& removed) : removed_{removed} {
  // nop
}

void retention::saw(std::string_view line, bool ends) {
  const auto id = session_of(line);
  if (!id)
    return;
  const auto newest = removed_.through
                      + static_cast<std::uint32_t>(closed_.size()) + 1;
  const auto [found, is_new] = unfinished_.try_emplace(*id, newest);
  if (is_new)
    ++needed_[newest];
  if (!ends)
    return;
  const auto begun = needed_.find(found->second);
  if (--begun->second == 0)
    needed_.erase(begun);
  ended_[found->second].push_back(*id);
  unfinished_.erase(found);
}

void retention::closed(std::uint64_t bytes, std::uint32_t last_crc,
                       protocol::timestamp_ms written_at) {
  closed_.push_back({bytes, last_crc, written_at});
}

removed_segments retention::removable(const kept_part& what) const {
  std::uint64_t bytes = 0;
  for (const auto& one : closed_)
    bytes += one.bytes;
  for (const auto& [segment, more] : what.beside)
    bytes += more;
  auto now = removed_;
  for (const auto& one : closed_) {
    const auto number = now.through + 1;
    const bool needed = !needed_.empty() && needed_.begin()->first <= number
                        && !off(log_mutant::needed_segments);
    if (needed || number >= what.from
        || (bytes <= what.bytes && one.written_at >= what.since))
      break;
    const auto beside = what.beside.find(number);
    bytes -= one.bytes + (beside == what.beside.end() ? 0 : beside->second);
    now = {number, one.last_crc};
  }
  return now;
}

std::vector<protocol::uuid> retention::removed(const removed_segments& now) {
  closed_.erase(closed_.begin(),
                closed_.begin() + (now.through - removed_.through));
  removed_ = now;
  std::vector<protocol::uuid> left;
  while (!ended_.empty() && ended_.begin()->first <= now.through) {
    const auto& some = ended_.begin()->second;
    left.insert(left.end(), some.begin(), some.end());
    ended_.erase(ended_.begin());
  }
  return left;
}

} // namespace convene::host
