#include <convene/runtime/data/cluster/shared_sessions.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/recovery/log_ledger.hpp>
#include <convene/runtime/started_sessions.hpp>
#include <convene/server/sessions/session_host.hpp>
#include <spdlog/spdlog.h>

#include <chrono>
#include <system_error>
#include <utility>

namespace convene::server {
namespace {

using protocol::errc;
using protocol::fail;
using protocol::result;

result<void> check(const session_host_options& how) {
  if (how.runtime.seed)
    return fail(errc::not_allowed, "a server runs in real time only",
                "virtual_time");
  return {};
}

} // namespace

session_host::session_host(session_host_options how)
  : how_{std::move(how)}, counts_{std::make_shared<counts>(how_.shares)},
    pool_{std::make_unique<host::blocking_pool>(
      host::pool_limits{.threads = how_.threads,
                        .queue = how_.queue,
                        // Nothing that the jobs use may go before them.
                        .grace = std::chrono::minutes{10}})},
    feed_{std::make_shared<event_feed>(how_.data / "log", *pool_)},
    drafts_{std::make_unique<session_drafts>(how_.data / "drafts")},
    questions_{std::make_shared<question_board>(
      feed_,
      [counts = counts_](const std::string& id) { return counts->of(id); },
      how_.public_url)},
    views_{
      std::make_shared<session_views<session_view>>(feed_, how_.views_max)},
    stories_{
      std::make_shared<session_views<story_view>>(feed_, how_.views_max)} {
  counts_->on_over = [this, feed = feed_](const std::string& id) {
    feed->run_in_turn([this, id] { cancel_large(id); });
  };
}

result<std::unique_ptr<session_host>>
session_host::open(session_host_options how) {
  if (auto fits = check(how); !fits)
    return fail(std::move(fits).error());
  const auto log = how.data / "log";
  std::error_code failed;
  host::create_private(log, failed);
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
  how.log_companions.push_back(departures_);
  if (how_.cluster)
    how.log_companions.push_back(how_.cluster->log());
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
  departures_->await_reader();
  if (how_.cluster)
    how_.cluster->on_lost([this](const auto& sessions) { lose(sessions); });
  auto with = recovery_how();
  with.subscribe = counting_subscription();
  auto opened = convene::runtime::open(runs, with);
  if (!opened)
    return fail(std::move(opened).error());
  runtime_ = *std::move(opened);
  host::watch_starts(
    *runtime_,
    {.observe = [counts = counts_] { return counts::observer_for(counts); },
     .started
     = [this](const session_handle& session) { add_started(session); }});
  const auto& found = runtime_->recovered();
  for (const auto& each : found.sessions)
    handles_.emplace(each.id(), each);
  auto follower = log_follower::open(
    how_.runtime.log, found.events, *found.subscribed,
    {.event = [this](const host::log_place& place,
                     std::string_view line) { see(place, line); },
     .pause =
       [this] {
         departures_->paused();
         if (feed_->sessions().tell())
           questions_->advance();
         forget_removed();
       },
     .end =
       [this](std::optional<protocol::error> why) {
         feed_->close();
         questions_->stop();
         if (!why)
           return;
         spdlog::error("the log of sessions has failed: {}", to_string(*why));
         if (how_.on_failure)
           how_.on_failure(*why);
       }});
  if (!follower)
    return fail(std::move(follower).error());
  follower_ = *std::move(follower);
  // Nobody may ever write again.
  departures_->call_when_left(
    [this, feed = feed_] { feed->run_in_turn([this] { forget_removed(); }); });
  load_drafts();
  if (how_.cluster)
    begin_in_cluster();
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
  if (how_.cluster)
    how_.cluster->end();
}

/// On the follower's thread, or while the host is opened.
void session_host::see(const host::log_place& place, std::string_view line) {
  const auto head = host::head_of(line);
  departures_->reached(place.segment);
  // Whoever sees it end finds room for another one.
  if (head.event_type == "MAPSessionCompleted")
    counts_->release(std::string{head.session_id});
  // First, so that whoever is told of more events finds this one seen.
  if (how_.watch)
    how_.watch(head.session_id, line);
  if (const auto change = feed_->add(place, line))
    questions_->note(*change);
  const std::string id{head.session_id};
  if (head.event_type == "MAPSessionStarted" && drafts_->contains(id)
      && !feed_->run([this, id] { drafts_->remove(id); }))
    drafts_->remove(id);
  if (head.event_type != "MAPSessionCompleted")
    return;
  counts_->forget(id);
  {
    const std::lock_guard held{mutex_};
    handles_.erase(id);
  }
  // The beginning of one that was found without it was removed before.
  if (const auto row = feed_->sessions().find(id);
      row && row->started_at.empty())
    forget(id);
}

void session_host::forget(const std::string& session_id) {
  feed_->forget(session_id);
  if (how_.on_removed)
    how_.on_removed(session_id);
}

/// What the log has lost, as far as its end was seen.
void session_host::forget_removed() {
  for (const auto& session : departures_->take()) {
    const auto id = to_string(session);
    const auto row = feed_->sessions().find(id);
    if (row && row->ended)
      forget(id);
    else if (row)
      departures_->put_back(session);
  }
}

} // namespace convene::server
