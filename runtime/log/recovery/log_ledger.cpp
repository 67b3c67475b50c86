#include <convene/runtime/log/event_log/event_session.hpp>
#include <convene/runtime/log/recovery/log_ledger.hpp>
#include <convene/session/replay/recorded_input.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {

log_ledger::log_ledger(wish wants_ended)
  : wants_ended_(std::move(wants_ended)) {
  // nop
}

logged_session& log_ledger::session_of(std::string_view id,
                                       std::string_view line) {
  if (last_ < sessions_.size() && sessions_[last_].id == id)
    return sessions_[last_];
  const auto found = positions_.find(id);
  last_ = found != positions_.end() ? found->second : sessions_.size();
  if (found == positions_.end()) {
    positions_.emplace(id, last_);
    sessions_.push_back(
      {.id = std::string{id},
       .has_beginning = !host::session_of(line)
                        || is_of_type(line, "MAPSessionStarted")});
  }
  return sessions_[last_];
}

const logged_session* log_ledger::find(std::string_view id) const {
  const auto found = positions_.find(id);
  return found == positions_.end() ? nullptr : &sessions_[found->second];
}

void log_ledger::feed(const log_place& place, const line_head& head,
                      std::string_view line) {
  if (place.file_index >= files_.size())
    files_.resize(place.file_index + 1);
  if (files_[place.file_index].empty())
    files_[place.file_index] = place.file;
  ++events_;
  if (const auto at = protocol::parse_timestamp(head.timestamp))
    last_at_ = std::max(last_at_, *at);
  auto& session = session_of(head.session_id, line);
  if (head.event_type == "MAPSessionStarted")
    if (const auto key = session::parse_session_key(session_key_of(head, line)))
      keys_.insert(*key);
  if (session.is_wanted)
    session.lines.add(place, line.size());
  if (head.event_type != "MAPSessionCompleted" || session.has_ended)
    return;
  session.has_ended = true;
  session.is_wanted = wants_ended_ && wants_ended_(session.id);
  if (!session.is_wanted)
    session.lines = {};
}

} // namespace convene::host
