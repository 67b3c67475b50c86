// Forks of a host's sessions.

#include <boost/json/serialize.hpp>
#include <convene/runtime/started_sessions.hpp>
#include <convene/server/sessions/session_host.hpp>
#include <convene/server/shares/held_bytes.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace convene::server {

using protocol::errc;
using protocol::fail;
using protocol::result;

namespace {

/// As much as the body of POST /v1/sessions may have.
constexpr std::size_t scenario_bytes_max = std::size_t{16} << 20;

/// All durable events of a session, if they have at most `bytes_max` bytes.
result<std::vector<std::string>> events_of(event_feed& feed,
                                           const std::string& session_id) {
  const auto row = feed.sessions().find(session_id);
  if (!row)
    return fail(errc::unreadable, "unknown session", "session_unknown");
  if (row->events == 0)
    return fail(errc::not_allowed, "the session has not started",
                "session_not_started");
  std::vector<std::string> all;
  std::size_t bytes = 0;
  while (all.size() < row->events) {
    auto page = feed.read(session_id, all.size(),
                          {.events = static_cast<std::size_t>(row->events)
                                     - all.size()});
    if (!page)
      return fail(std::move(page).error());
    if (page->is_loading) {
      if (auto loaded = feed.load(session_id); !loaded)
        return fail(std::move(loaded).error());
      continue;
    }
    for (auto& line : page->events) {
      bytes += line.size() + 1;
      if (bytes > session_host::fork_place::bytes_max)
        return fail(errc::limit_reached,
                    "the session's events have more than 48 MiB; fork it from "
                    "the server's log by `convene fork`",
                    "fork_bytes_max");
      all.push_back(std::move(line));
    }
  }
  return all;
}

} // namespace

bool session_host::fork(fork_place from,
                        std::function<void(result<session_row>)> then,
                        std::string key) {
  return feed_->run([this, from = std::move(from), then = std::move(then),
                     key = std::move(key)] {
    const auto started = start_fork(from, key);
    if (!started)
      return then(fail(started.error()));
    tell_started(started->session_id, started->events, then);
  });
}

result<session_host::begun_fork>
session_host::start_fork(const fork_place& from, const std::string& key) {
  const auto events = events_of(*feed_, from.session_id);
  if (!events)
    return fail(events.error());
  auto ids = protocol::uuid_source::from_entropy();
  using namespace std::chrono;
  auto made = host::fork_events(
    *events, "server",
    {.session_id = from.session_id,
     .event_id = from.event_id,
     .turn = from.turn,
     .overrides = from.overrides,
     .answer = from.answer,
     .ids = ids,
     .now = duration_cast<milliseconds>(system_clock::now().time_since_epoch())
              .count()});
  if (!made)
    return fail(std::move(made).error());
  const auto scenario = boost::json::serialize(session::encode(made->scenario));
  if (scenario.size() > scenario_bytes_max)
    return fail(errc::limit_reached,
                "the changed scenario has more than 16 MiB",
                "scenario_bytes_max");
  const auto id = made->scenario.collab.collab_id;
  if (auto own = reserve(id, expected::nothing); !own)
    return fail(std::move(own).error());
  // Its observer counts the events that it begins with.
  auto fits = counts_->expect(id, key, held_bytes(scenario));
  if (!fits) {
    release(id);
    return fail(std::move(fits).error());
  }
  const auto started = host::start_recorded(*runtime_, id, made->events,
                                            {.functions = how_.functions,
                                             .conditions = how_.conditions});
  release(id);
  if (!started) {
    counts_->forget(id);
    return fail(started.error());
  }
  return begun_fork{id, static_cast<std::uint64_t>(
                          std::ranges::count(made->events, '\n'))};
}

} // namespace convene::server
