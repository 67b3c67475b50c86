#include <convene/modes/catalog.hpp>
#include <convene/runtime/recovery/log_ledger.hpp>
#include <convene/runtime/recovery/log_replay.hpp>

#include <utility>

namespace convene::host {

log_replay::log_replay(replay_options how) : how_(std::move(how)) {
  // nop
}

replayed_session& log_replay::session_of(std::string_view id) {
  const auto found = positions_.find(id);
  if (found != positions_.end())
    return sessions_[found->second];
  positions_.emplace(id, sessions_.size());
  auto& made = sessions_.emplace_back();
  made.id = id;
  made.standing = std::make_unique<session::replayer>(modes::find);
  return made;
}

void log_replay::feed(const log_place& place, std::string_view text) {
  const auto id = head_of(text).session_id;
  if (how_.wanted && !how_.wanted(id))
    return;
  auto& which = session_of(id);
  ++which.events;
  if (!which.divergence)
    compare(which, place, text);
}

void log_replay::compare(replayed_session& which, const log_place& place,
                         std::string_view text) {
  std::optional<session::divergence> found
    = which.ended ? session::divergence{.line = place.number,
                                        .actual = std::string{text},
                                        .message = "the session had ended"}
                  : which.standing->feed(place.number, text);
  if (found) {
    which.divergence = {place.file, found->line, std::move(found->expected),
                        std::move(found->actual), std::move(found->message)};
    which.standing.reset();
    return;
  }
  const auto* machine = which.standing->session();
  if (machine == nullptr)
    return;
  which.last_at = machine->last_at();
  if (!machine->ended() || which.standing->finish())
    return;
  which.ended = true;
  if (!how_.keep_ended)
    which.standing.reset();
}

std::vector<replayed_session> log_replay::finish() {
  for (auto& which : sessions_) {
    if (which.ended || which.divergence)
      continue;
    if (auto cut = which.standing->finish()) {
      which.divergence = {{},
                          cut->line,
                          std::move(cut->expected),
                          std::move(cut->actual),
                          std::move(cut->message)};
      which.standing.reset();
    }
  }
  positions_.clear();
  return std::move(sessions_);
}

} // namespace convene::host
