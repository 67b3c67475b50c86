#include <convene/modes/catalog.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <convene/runtime/log/recovery/session_replay.hpp>

#include <utility>

namespace convene::host {

session_replay::session_replay(std::string id)
  : session_{.id = std::move(id),
             .standing = std::make_unique<session::replayer>(modes::find)} {
  // nop
}

session_replay::session_replay(std::string id, session_snapshot from)
  : session_replay(std::move(id)) {
  session_.events = from.events - 1;
  from_ = std::move(from);
}

void session_replay::feed(const log_place& place, std::string_view text) {
  ++session_.events;
  if (!session_.bad_snapshot.empty())
    return;
  if (from_)
    restore(text);
  else if (!session_.divergence)
    compare(place, text);
}

void session_replay::restore(std::string_view text) {
  const auto from = *std::exchange(from_, std::nullopt);
  const auto refuse = [this](std::string why) {
    session_.bad_snapshot = std::move(why);
    session_.standing.reset();
  };
  if (from.events == 0)
    return refuse("it covers nothing");
  if (hex_digest_of(text) != from.last_digest)
    return refuse("its last event is not the log's");
  if (from.events == 1 && text != from.started)
    return refuse("the session began in another way");
  auto restored = session_.standing->restore(from.started, from.state);
  if (!restored)
    return refuse(to_string(restored.error()));
  session_.covered = from.events;
  session_.last_at = session_.standing->session()->last_at();
}

void session_replay::compare(const log_place& place, std::string_view text) {
  std::optional<session::divergence> found
    = session_.ended ? session::divergence{.line = place.number,
                                           .actual = std::string{text},
                                           .message = "the session had ended"}
                     : session_.standing->feed(place.number, text);
  if (found && session_.covered != 0) {
    session_.bad_snapshot = "the log continues differently: " + found->message;
    session_.standing.reset();
    return;
  }
  if (found) {
    session_.divergence = {place.file,
                           found->line,
                           std::move(found->expected),
                           std::move(found->actual),
                           std::move(found->message),
                           std::move(found->rule)};
    session_.standing.reset();
    return;
  }
  const auto* machine = session_.standing->session();
  if (machine == nullptr)
    return;
  session_.last_at = machine->last_at();
  session_.ended = machine->ended() && !session_.standing->finish();
}

session::report session_replay::take_report() {
  return session::make_report(session_.standing->release().machine);
}

replayed_session session_replay::finish() {
  if (from_) {
    session_.bad_snapshot = "it is ahead of the log";
    session_.standing.reset();
  }
  if (session_.ended || session_.divergence || !session_.bad_snapshot.empty())
    return std::move(session_);
  if (auto cut = session_.standing->finish()) {
    session_.divergence = {{},
                           cut->line,
                           std::move(cut->expected),
                           std::move(cut->actual),
                           std::move(cut->message),
                           std::move(cut->rule)};
    session_.standing.reset();
  }
  return std::move(session_);
}

} // namespace convene::host
