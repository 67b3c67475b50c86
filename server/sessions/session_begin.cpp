// How the sessions of a host begin: at once, or as drafts that are started
// later.

#include <boost/json/serialize.hpp>
#include <convene/runtime/data/scenario/scenario.hpp>
#include <convene/runtime/may_start.hpp>
#include <convene/server/sessions/session_host.hpp>
#include <convene/server/shares/held_bytes.hpp>
#include <convene/session/spec/spec.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <utility>

namespace convene::server {

using protocol::errc;
using protocol::fail;
using protocol::result;

namespace {

protocol::timestamp_ms now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch())
    .count();
}

} // namespace

bool session_host::create(protocol::json::object scenario,
                          std::function<void(result<session_row>)> then,
                          std::string key) {
  return feed_->run([this, scenario = std::move(scenario),
                     then = std::move(then), key = std::move(key)] {
    begin_session(scenario, expected::nothing, key, then);
  });
}

bool session_host::create_draft(protocol::json::object scenario,
                                std::function<void(result<session_row>)> then) {
  return feed_->run([this, scenario = std::move(scenario),
                     then = std::move(then)] { then(keep_draft(scenario)); });
}

result<session_row> session_host::keep_draft(protocol::json::object scenario) {
  const auto spec = read(scenario);
  if (!spec)
    return fail(spec.error());
  if (auto may = host::may_start(*spec, runtime_how()); !may)
    return fail(std::move(may).error());
  const session_row row{.session_id = spec->collab.collab_id,
                        .status = session_row::draft,
                        .mode = std::string{to_word(spec->collab.mode)},
                        .title = spec->collab.title};
  // It keeps its id.
  if (auto& collab = scenario["collab"]; collab.is_object())
    collab.get_object()["collab_id"] = row.session_id;
  if (auto own = reserve(row.session_id, expected::nothing); !own)
    return fail(std::move(own).error());
  auto kept = drafts_->add(row, scenario);
  if (kept)
    feed_->sessions().add_draft(row);
  release(row.session_id);
  if (!kept)
    return fail(std::move(kept).error());
  return row;
}

result<void> session_host::drop_draft(const std::string& id) {
  if (!reserve(id, expected::draft))
    return fail(errc::not_allowed,
                "the session is being started; cancel it once it is active",
                "session_starting");
  feed_->sessions().drop_draft(id);
  drafts_->remove(id);
  release(id);
  return {};
}

bool session_host::start_draft(const std::string& session_id,
                               std::function<void(result<session_row>)> then,
                               std::string key) {
  return feed_->run(
    [this, session_id, then = std::move(then), key = std::move(key)] {
      auto scenario = drafts_->scenario_of(session_id);
      if (!scenario)
        return then(fail(std::move(scenario).error()));
      begin_session(*std::move(scenario), expected::draft, key, then);
    });
}

result<session::spec> session_host::read(protocol::json::object scenario) {
  std::uint64_t seed = 0;
  {
    const std::lock_guard held{mutex_};
    seed = ids_.next().high;
  }
  protocol::uuid_source ids{seed};
  return host::load_scenario(std::move(scenario),
                             {.ids = ids, .now = now_ms()});
}

void session_host::begin_session(
  protocol::json::object scenario, expected before, const std::string& key,
  const std::function<void(result<session_row>)>& then) {
  auto spec = read(std::move(scenario));
  if (!spec)
    return then(fail(std::move(spec).error()));
  const auto id = spec->collab.collab_id;
  if (auto started = start(*std::move(spec), before, key); !started)
    return then(fail(std::move(started).error()));
  tell_started(id, 1, then);
}

void session_host::tell_started(
  const std::string& id, std::uint64_t events,
  const std::function<void(result<session_row>)>& then) {
  const auto is_told = std::make_shared<std::atomic<bool>>(false);
  const auto tell = [feed = feed_, id, events, then, is_told] {
    if (is_told->exchange(true))
      return;
    if (auto row = feed->sessions().find(id); row && row->events >= events)
      return then(*std::move(row));
    if (feed->sessions().is_elsewhere(id))
      return then(fail(errc::not_allowed,
                       "another node of the cluster has a session with this id",
                       std::string{session_elsewhere}));
    then(fail(errc::not_allowed, "the server is stopping", "runtime_closing"));
  };
  if (feed_->sessions().when_more(id, events - 1, tell,
                                  session_catalog::clock::time_point::max())
        == 0
      || feed_->sessions().is_elsewhere(id))
    tell();
}

result<void> session_host::reserve(const std::string& id, expected before) {
  const std::lock_guard held{mutex_};
  const auto row = feed_->sessions().find(id);
  if (!row && before == expected::draft)
    return fail(errc::unreadable, "there is no such session",
                "session_unknown");
  const bool fits
    = before == expected::nothing ? !row : row->status == session_row::draft;
  if (!fits || handles_.contains(id) || !reserved_.insert(id).second)
    return fail(errc::not_allowed, "a session with this id exists already",
                "session_id");
  return {};
}

void session_host::release(const std::string& id) {
  const std::lock_guard held{mutex_};
  reserved_.erase(id);
}

result<void> session_host::start(session::spec scenario, expected before,
                                 const std::string& key) {
  const auto id = scenario.collab.collab_id;
  if (auto own = reserve(id, before); !own)
    return own;
  const auto bytes
    = held_bytes(boost::json::serialize(session::encode(scenario)));
  if (auto fits = counts_->expect(id, key, bytes); !fits) {
    release(id);
    return fits;
  }
  const auto handle = runtime_->start(std::move(scenario));
  const auto at_once = handle.await_for(std::chrono::milliseconds{0});
  const std::lock_guard held{mutex_};
  reserved_.erase(id);
  if (at_once && !*at_once) {
    handles_.erase(id);
    counts_->forget(id);
    return fail(at_once->error());
  }
  return {};
}

/// A session that has grown until its key had more than it may.
void session_host::cancel_large(const std::string& session_id) {
  // One that has ended meanwhile needs no cancelling.
  static_cast<void>(tell(session_id, control::cancel,
                         "key_sessions_bytes_max: the sessions of the key that "
                         "began this one are too large"));
}

void session_host::add_started(const session_handle& session) {
  const std::lock_guard held{mutex_};
  // It may have ended before.
  if (const auto row = feed_->sessions().find(session.id()); row && row->ended)
    return;
  handles_.insert_or_assign(session.id(), session);
}

} // namespace convene::server
