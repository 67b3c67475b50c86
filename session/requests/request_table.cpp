#include <convene/session/requests/request_table.hpp>

#include <algorithm>

namespace convene::session {

void request_table::issue(participant_index to, open_request&& what,
                          request& message) {
  auto& at = slots_[to];
  earliest_ = open_.empty() ? what.expires_at
                            : std::min(earliest_, what.expires_at);
  message.kind = what.kind;
  message.token = what.token;
  message.sequence = at.requests++;
  message.kind_sequence = what.kind == request_kind::decision
                            ? at.decisions++
                            : message.sequence - at.decisions;
  message.expires_at = what.expires_at;
  message.workspace_since = at.revision;
  what.revision = at.revision = message.workspace.revision();
  at.open = std::move(what);
  at.violations = 0;
  open_.push_back(to);
}

const open_request& request_table::close(participant_index who) {
  auto& at = slots_[who];
  const auto& closed = closed_.emplace_back(who, *std::move(at.open)).second;
  at.open.reset();
  at.last_token = closed.token;
  open_.erase(who);
  return closed;
}

participant_index request_table::expired(protocol::timestamp_ms now) noexcept {
  if (open_.empty() || now < earliest_)
    return no_participant;
  const auto found = std::ranges::find_if(open_, [&](participant_index i) {
    return slots_[i].open->expires_at <= now;
  });
  if (found != open_.end())
    return *found;
  earliest_ = slots_[open_.front()].open->expires_at;
  for (auto i : open_)
    earliest_ = std::min(earliest_, slots_[i].open->expires_at);
  return no_participant;
}

bool request_table::note_violation(participant_index who) noexcept {
  auto& count = slots_[who].violations;
  if (count >= violations_max)
    return false;
  ++count;
  return true;
}

std::string_view request_table::why_unsound() const {
  for (const auto who : open_) {
    if (!slots_[who].open)
      return "a request is open to no one";
    if (slots_[who].open->kind > request_kind::decision)
      return "a request of this kind cannot be open";
  }
  for (participant_index i = 0; i < slots_.size(); ++i)
    if (slots_[i].open && !open_.contains(i))
      return "a request is open to no one";
  return {};
}

} // namespace convene::session
