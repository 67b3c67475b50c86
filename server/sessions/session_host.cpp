#include <convene/runtime/may_start.hpp>
#include <convene/runtime/recovery/log_ledger.hpp>
#include <convene/runtime/scenario/scenario.hpp>
#include <convene/server/sessions/session_host.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

namespace convene::server {
namespace {

using protocol::errc;
using protocol::fail;
using protocol::result;

protocol::timestamp_ms now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch())
    .count();
}

result<void> check(const session_host_options& how) {
  if (how.runtime.seed)
    return fail(errc::not_allowed, "a server runs in real time only",
                "virtual_time");
  if (how.runtime.log_keep_bytes != 0)
    return fail(errc::not_allowed,
                "a server keeps its whole log: streams may begin anywhere",
                "log_keep_bytes");
  return {};
}

} // namespace

convene::observer
session_host::counts::observer_of(const std::string& session_id) {
  auto count = std::make_shared<std::atomic<std::uint64_t>>(0);
  {
    const std::lock_guard held{mutex_};
    counts_[session_id] = count;
  }
  return [count](std::string_view, std::string_view lines) {
    *count += static_cast<std::uint64_t>(std::ranges::count(lines, '\n'));
  };
}

std::uint64_t session_host::counts::of(const std::string& session_id) const {
  const std::lock_guard held{mutex_};
  const auto found = counts_.find(session_id);
  return found == counts_.end() ? 0 : found->second->load();
}

void session_host::counts::forget(const std::string& session_id) {
  const std::lock_guard held{mutex_};
  counts_.erase(session_id);
}

session_host::session_host(session_host_options how)
  : how_{std::move(how)}, pool_{std::make_unique<host::blocking_pool>(
                            host::pool_limits{
                              .threads = how_.threads,
                              .queue = how_.queue,
                              // Nothing that the jobs use may go before them.
                              .grace = std::chrono::minutes{10}})},
    feed_{std::make_shared<event_feed>(how_.data / "log", *pool_)},
    drafts_{std::make_unique<session_drafts>(how_.data / "drafts")},
    questions_{std::make_shared<question_board>(
      feed_,
      [counts = counts_](const std::string& id) { return counts->of(id); },
      how_.public_url)},
    views_{std::make_shared<session_views>(feed_, how_.views_max)} {
  // nop
}

result<std::unique_ptr<session_host>>
session_host::open(session_host_options how) {
  if (auto fits = check(how); !fits)
    return fail(std::move(fits).error());
  const auto log = how.data / "log";
  std::error_code failed;
  std::filesystem::create_directories(log, failed);
  if (failed)
    return fail({.code = errc::io_failed,
                 .message = "cannot be created: " + failed.message(),
                 .file = log.string()});
  how.runtime.log = log;
  std::unique_ptr<session_host> made{new session_host{std::move(how)}};
  if (auto begun = made->begin(); !begun)
    return fail(std::move(begun).error());
  return made;
}

runtime_options session_host::runtime_how() const {
  auto how = how_.runtime;
  how.people = questions_;
  return how;
}

/// After the log is known: a session that is there was started.
void session_host::load_drafts() {
  for (auto& row : drafts_->load()) {
    const auto id = row.session_id;
    if (!feed_->sessions().add_draft(std::move(row)))
      drafts_->remove(id);
  }
}

result<void> session_host::begin() {
  const auto runs = runtime_how();
  recovery_options with;
  with.observe = [counts = counts_](const std::string& id) {
    return counts->observer_of(id);
  };
  with.subscribe = counting_subscription();
  auto opened = convene::runtime::open(runs, with);
  if (!opened)
    return fail(std::move(opened).error());
  runtime_ = *std::move(opened);
  const auto& found = runtime_->recovered();
  for (const auto& each : found.sessions)
    handles_.emplace(each.id(), each);
  auto follower = log_follower::open(
    how_.runtime.log, found.events, *found.subscribed,
    {.event = [this](const host::log_place& place,
                     std::string_view line) { see(place, line); },
     .pause =
       [this] {
         if (feed_->sessions().tell())
           questions_->advance();
       },
     .end =
       [this](std::optional<protocol::error> why) {
         if (why)
           spdlog::error("the log cannot be followed: {}", to_string(*why));
         feed_->close();
         questions_->stop();
       }});
  if (!follower)
    return fail(std::move(follower).error());
  follower_ = *std::move(follower);
  load_drafts();
  return {};
}

session_host::~session_host() {
  suspend_all();
  pool_.reset();
  if (runtime_)
    if (auto closed = runtime_->close(); !closed)
      spdlog::error("the log cannot be closed: {}", to_string(closed.error()));
  follower_.reset();
}

void session_host::suspend_all() {
  if (runtime_)
    runtime_->halt_all();
  feed_->close();
  questions_->stop();
}

/// On the follower's thread, or while the host is opened.
void session_host::see(const host::log_place& place, std::string_view line) {
  if (const auto change = feed_->add(place, line))
    questions_->note(*change);
  const auto head = host::head_of(line);
  const std::string id{head.session_id};
  if (head.event_type == "MAPSessionStarted")
    drafts_->remove(id);
  if (head.event_type != "MAPSessionCompleted")
    return;
  counts_->forget(id);
  const std::lock_guard held{mutex_};
  handles_.erase(id);
}

bool session_host::create(protocol::json::object scenario,
                          std::function<void(result<session_row>)> then) {
  return feed_->run(
    [this, scenario = std::move(scenario), then = std::move(then)] {
      begin_session(scenario, expected::nothing, then);
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
                               std::function<void(result<session_row>)> then) {
  return feed_->run([this, session_id, then = std::move(then)] {
    auto scenario = drafts_->scenario_of(session_id);
    if (!scenario)
      return then(fail(std::move(scenario).error()));
    begin_session(*std::move(scenario), expected::draft, then);
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
  protocol::json::object scenario, expected before,
  const std::function<void(result<session_row>)>& then) {
  auto spec = read(std::move(scenario));
  if (!spec)
    return then(fail(std::move(spec).error()));
  const auto id = spec->collab.collab_id;
  if (auto started = start(*std::move(spec), before); !started)
    return then(fail(std::move(started).error()));
  const auto tell = [feed = feed_, id, then] {
    if (auto row = feed->sessions().find(id))
      return then(*std::move(row));
    then(fail(errc::not_allowed, "the server is stopping", "runtime_closing"));
  };
  if (feed_->sessions().when_more(id, 0, tell,
                                  session_catalog::clock::time_point::max())
      == 0)
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

result<void> session_host::start(session::spec scenario, expected before) {
  const auto id = scenario.collab.collab_id;
  if (auto own = reserve(id, before); !own)
    return own;
  const auto handle = runtime_->start(std::move(scenario),
                                      {.observer = counts_->observer_of(id)});
  const auto at_once = handle.await_for(std::chrono::milliseconds{0});
  const std::lock_guard held{mutex_};
  reserved_.erase(id);
  if (at_once && !*at_once) {
    counts_->forget(id);
    return fail(at_once->error());
  }
  handles_.emplace(id, handle);
  // It may have ended before.
  if (const auto row = feed_->sessions().find(id); row && row->ended)
    handles_.erase(id);
  return {};
}

std::optional<session_handle>
session_host::handle_of(const std::string& session_id) const {
  const std::lock_guard held{mutex_};
  const auto found = handles_.find(session_id);
  if (found == handles_.end())
    return std::nullopt;
  return found->second;
}

std::optional<protocol::error>
session_host::fault_of(const std::string& session_id) const {
  const auto handle = handle_of(session_id);
  if (!handle)
    return std::nullopt;
  const auto outcome = handle->await_for(std::chrono::milliseconds{0});
  if (!outcome || *outcome)
    return std::nullopt;
  return outcome->error();
}

result<void> session_host::tell(const std::string& session_id, control what,
                                std::string reason) {
  const auto handle = handle_of(session_id);
  const auto row = feed_->sessions().find(session_id);
  if (!row)
    return fail(errc::unreadable, "there is no such session",
                "session_unknown");
  if (row->status == session_row::draft && what != control::cancel)
    return fail(errc::not_allowed, "the session has not been started",
                "session_not_started");
  if (row->status == session_row::draft && !handle)
    return drop_draft(session_id);
  if (row->ended || !handle)
    return fail(errc::not_allowed, "the session has ended", "session_ended");
  if (auto why = fault_of(session_id))
    return fail(*std::move(why));
  switch (what) {
    case control::suspend:
      handle->suspend(std::move(reason));
      break;
    case control::resume:
      handle->resume();
      break;
    case control::cancel:
      handle->cancel(std::move(reason));
      break;
    case control::stop:
      handle->stop(std::move(reason));
      break;
  }
  return {};
}

bool session_host::look(
  const std::string& session_id,
  std::function<void(result<void>, const session_view*)> to) {
  return feed_->run([views = views_, session_id, to = std::move(to)] {
    auto done = views->look(session_id,
                            [&](const session_view& view) { to({}, &view); });
    if (!done)
      to(std::move(done), nullptr);
  });
}

} // namespace convene::server
