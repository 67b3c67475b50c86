#include <convene/modes/catalog.hpp>
#include <convene/runtime/recovery/log_ledger.hpp>
#include <convene/runtime/recovery/log_replay.hpp>

#include <utility>

namespace convene::host {

using protocol::result;

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
  if (how_.snapshot)
    made.awaited = how_.snapshot(id);
  if (made.awaited && how_.from_snapshot)
    made.events = made.awaited->events - 1;
  return made;
}

void log_replay::feed(const log_place& place, std::string_view text) {
  const auto id = head_of(text).session_id;
  if (how_.wanted && !how_.wanted(id))
    return;
  auto& which = session_of(id);
  ++which.events;
  if (!which.bad_snapshot.empty())
    return;
  if (which.awaited)
    pass_over(which, text);
  else if (!which.divergence)
    compare(which, place, text);
}

/// Events that the snapshot covers: only the first and the last are looked at.
void log_replay::pass_over(replayed_session& which, std::string_view text) {
  const auto refuse = [&](std::string why) {
    which.bad_snapshot = std::move(why);
    which.awaited.reset();
    which.standing.reset();
  };
  if (which.events == 1 && text != which.awaited->started)
    return refuse("the session began in another way");
  if (which.events < which.awaited->events)
    return;
  if (digest_of(text) != which.awaited->last_digest)
    return refuse("its last event is not the log's");
  auto restored = which.standing->restore(which.awaited->started,
                                          which.awaited->state);
  if (!restored)
    return refuse(to_string(restored.error()));
  which.covered = which.awaited->events;
  which.awaited.reset();
  which.last_at = which.standing->session()->last_at();
}

void log_replay::compare(replayed_session& which, const log_place& place,
                         std::string_view text) {
  std::optional<session::divergence> found
    = which.ended ? session::divergence{.line = place.number,
                                        .actual = std::string{text},
                                        .message = "the session had ended"}
                  : which.standing->feed(place.number, text);
  if (found && which.covered != 0) {
    which.bad_snapshot = "the log goes on in another way: " + found->message;
    which.standing.reset();
    return;
  }
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
    if (which.awaited) {
      which.bad_snapshot = "it is ahead of the log";
      which.awaited.reset();
      which.standing.reset();
    }
    if (which.ended || which.divergence || !which.bad_snapshot.empty())
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

result<log_session>
replay_session(const std::filesystem::path& log, const std::string& id,
               std::optional<session_snapshot> from, index_writing writing) {
  const auto session = protocol::parse_uuid(id);
  if (!session)
    return protocol::fail(protocol::errc::unreadable,
                          "a session's id is a UUID, this is none: " + id);
  const first_line first = from ? first_line{from->file, from->line}
                                : first_line{};
  const bool has_snapshot = from.has_value();
  replay_options how{.from_snapshot = has_snapshot};
  if (has_snapshot)
    how.snapshot = [&from](std::string_view) { return std::move(from); };
  log_replay again{std::move(how)};
  log_session made{.started = from ? from->started : std::string{}};
  const auto read = visit_session(
    log, *session,
    [&](const log_place& place, std::string_view text) {
      again.feed(place, text);
      if (made.started.empty())
        made.started = text;
      made.file = place.file_index;
      made.line = place.number;
      made.last_event = text;
      return true;
    },
    writing, {}, first);
  if (!read)
    return tl::unexpected(read.error());
  auto found = again.finish();
  std::string bad;
  if (found.size() != 1)
    bad = "its last event is not on the log";
  else if (!found.front().bad_snapshot.empty())
    bad = std::move(found.front().bad_snapshot);
  if (!bad.empty() && has_snapshot) {
    auto whole = replay_session(log, id, std::nullopt, writing);
    if (whole)
      whole->session.bad_snapshot = std::move(bad);
    return whole;
  }
  if (!bad.empty())
    return protocol::fail(protocol::errc::unreadable,
                          "the session has no event on the log",
                          std::string{session_not_on_log});
  made.session = std::move(found.front());
  return made;
}

} // namespace convene::host
