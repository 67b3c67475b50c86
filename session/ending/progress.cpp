#include <convene/session/ending/progress.hpp>

namespace convene::session {
namespace {

/// Contents that are remembered; what comes after counts as new.
constexpr std::size_t contents_max = 1'000'000;

/// FNV-1a: the same on every machine, since a session's end hangs on it.
std::uint64_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

} // namespace

bool progress::is_new(std::string_view content) {
  if (content.empty())
    return false;
  return said_.size() >= contents_max || said_.insert(hash_of(content)).second;
}

void progress::close_round(std::size_t can_act) {
  if (had_turn_ == 0 || had_turn_ < can_act)
    return;
  had_turn_ = 0;
  ++round_;
  ++rounds_;
}

void progress::note(const closing& what, std::size_t can_act,
                    protocol::timestamp_ms at) {
  // A turn that was taken back says nothing of the participants.
  if (what.status == turn_status::cancelled)
    return;
  const bool succeeded = what.status == turn_status::completed
                         || what.status == turn_status::handed_off;
  failures_ = succeeded ? 0 : failures_ + 1;
  if (what.status != turn_status::timed_out)
    active_at_ = at;
  if (!what.is_turn)
    return;
  ++turns_closed_;
  const bool said_new = is_new(what.content);
  stale_turns_ = what.changed || said_new ? 0 : stale_turns_ + 1;
  if (!what.lost && round_of_[what.who] != round_) {
    round_of_[what.who] = round_;
    ++had_turn_;
  }
  close_round(can_act);
}

void progress::note_down(participant_index who, std::size_t can_act) {
  if (round_of_[who] == round_) {
    round_of_[who] = 0;
    --had_turn_;
  }
  close_round(can_act);
}

} // namespace convene::session
