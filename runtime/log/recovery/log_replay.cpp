#include <convene/modes/catalog.hpp>
#include <convene/runtime/log/recovery/line_head.hpp>
#include <convene/runtime/log/recovery/log_replay.hpp>
#include <convene/session/options/application_strategy.hpp>

#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

/// Whether the strategy of the application that the options name is there.
bool has_strategy(const json::object& conflicts) {
  const auto name = text_of(conflicts, "name");
  return name.empty() || session::find_strategy(name) != nullptr;
}

} // namespace

bool can_be_recomputed(const json::object& event) {
  using protocol::object_of;
  using protocol::text_of;
  if (text_of(event, "event_type") != "MAPSessionStarted")
    return false;
  const auto& payload = object_of(event, "payload");
  const auto& spec = object_of(payload, "spec");
  return (spec.contains("convene") || spec.contains("collab"))
         && modes::find(text_of(payload, "policy")) != nullptr
         && has_strategy(object_of(object_of(spec, "session"), "conflicts"));
}

log_replay::log_replay(wish wanted, end_visitor on_end)
  : wanted_(std::move(wanted)), on_end_(std::move(on_end)) {
  // nop
}

session_replay& log_replay::session_of(std::string_view id) {
  const auto found = positions_.find(id);
  if (found != positions_.end())
    return sessions_[found->second];
  positions_.emplace(id, sessions_.size());
  return sessions_.emplace_back(std::string{id});
}

void log_replay::feed(const log_place& place, std::string_view text) {
  const auto head = head_of(text);
  feed(place, head.session_id, text);
}

void log_replay::feed(const log_place& place, std::string_view id,
                      std::string_view text) {
  if (wanted_ && !wanted_(id))
    return;
  auto& which = session_of(id);
  which.feed(place, text);
  const auto& session = which.session();
  if (!session.ended || !session.standing)
    return;
  if (on_end_)
    on_end_(session.id, which.take_report());
  which.forget();
}

std::vector<replayed_session> log_replay::finish() {
  std::vector<replayed_session> made;
  made.reserve(sessions_.size());
  for (auto& each : sessions_)
    made.push_back(each.finish());
  positions_.clear();
  sessions_.clear();
  return made;
}

result<log_session>
replay_session(const std::filesystem::path& log, const std::string& id,
               std::optional<session_snapshot> from, index_writing writing) {
  const auto session = parse_uuid(id);
  if (!session)
    return protocol::fail(errc::unreadable,
                          "a session's id is a UUID, this is none: " + id);
  const first_line first = from ? first_line{from->segment, from->line}
                                : first_line{};
  const bool has_snapshot = from.has_value();
  log_session made{.started = from ? from->started : std::string{}};
  auto again = from ? session_replay{id, *std::move(from)} : session_replay{id};
  const auto read = visit_session(
    log, *session,
    [&](const log_place& place, std::string_view text) {
      again.feed(place, text);
      if (made.started.empty())
        made.started = text;
      made.segment = place.segment;
      made.line = place.number;
      made.last_event = text;
      return true;
    },
    writing, {}, first);
  if (!read)
    return tl::unexpected(read.error());
  if (read->lines == 0 && !has_snapshot)
    return protocol::fail(errc::unreadable,
                          "the session has no event on the log",
                          std::string{session_not_on_log});
  made.session = again.finish();
  if (made.session.bad_snapshot.empty())
    return made;
  auto whole = replay_session(log, id, std::nullopt, writing);
  if (whole)
    whole->session.bad_snapshot = std::move(made.session.bad_snapshot);
  return whole;
}

} // namespace convene::host
