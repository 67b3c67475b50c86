#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/recovery/log_ledger.hpp>
#include <convene/runtime/started_sessions.hpp>
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

/// Who is told what became of a message: also if its session's actor goes
/// before it has read it.
class message_sender {
public:
  message_sender(std::shared_ptr<event_feed> feed,
                 std::function<void(result<void>)> then)
    : feed_{std::move(feed)}, then_{std::move(then)} {}

  message_sender(const message_sender&) = delete;
  message_sender& operator=(const message_sender&) = delete;

  ~message_sender() {
    if (then_ && feed_->sessions().is_closed())
      then_(
        fail(errc::not_allowed, "the server is stopping", "runtime_closing"));
    else if (then_)
      then_(fail(errc::not_allowed, "the session has ended", "session_ended"));
  }

  /// Whoever takes it calls it.
  [[nodiscard]] std::function<void(result<void>)> take() {
    return std::exchange(then_, nullptr);
  }

private:
  const std::shared_ptr<event_feed> feed_;
  std::function<void(result<void>)> then_;
};

} // namespace

convene::observer
session_host::counts::observer_for(std::shared_ptr<counts> to) {
  return [to = std::move(to), own = count{}](std::string_view session_id,
                                             std::string_view lines) mutable {
    if (!own) {
      own = std::make_shared<std::atomic<std::uint64_t>>(0);
      const std::lock_guard held{to->mutex_};
      to->counts_[std::string{session_id}] = own;
    }
    *own += static_cast<std::uint64_t>(std::ranges::count(lines, '\n'));
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
  with.functions = how_.functions;
  with.conditions = how_.conditions;
  with.observe = [counts = counts_](const std::string&) {
    return counts::observer_for(counts);
  };
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
         if (feed_->sessions().tell())
           questions_->advance();
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
  const auto head = host::head_of(line);
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
  const std::lock_guard held{mutex_};
  handles_.erase(id);
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

result<session_handle>
session_host::running(const std::string& session_id) const {
  auto handle = handle_of(session_id);
  const auto row = feed_->sessions().find(session_id);
  if (!row)
    return fail(errc::unreadable, "there is no such session",
                "session_unknown");
  if (row->status == session_row::draft && !handle)
    return fail(errc::not_allowed, "the session has not been started",
                "session_not_started");
  if (row->ended || !handle)
    return fail(errc::not_allowed, "the session has ended", "session_ended");
  if (auto why = fault_of(session_id))
    return fail(*std::move(why));
  return *std::move(handle);
}

result<void> session_host::tell(const std::string& session_id, control what,
                                std::string reason) {
  const auto handle = running(session_id);
  if (!handle && handle.error().rule == "session_not_started"
      && what == control::cancel)
    return drop_draft(session_id);
  if (!handle)
    return fail(handle.error());
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

void session_host::say(const std::string& session_id, std::string participant,
                       std::string content,
                       std::function<void(result<void>)> then) {
  const auto handle = running(session_id);
  if (!handle)
    return then(fail(handle.error()));
  auto sender = std::make_shared<message_sender>(feed_, std::move(then));
  handle->message(std::move(content), std::move(participant),
                  [feed = feed_, counts = counts_, session_id,
                   sender = std::move(sender)](result<void> taken) {
                    auto told = sender->take();
                    if (!taken)
                      return told(std::move(taken));
                    // Its event is the last one so far, or one before it.
                    const auto until = counts->of(session_id);
                    const auto tell = [feed, session_id, until, told] {
                      const auto row = feed->sessions().find(session_id);
                      if (row && (row->ended || row->events >= until))
                        return told({});
                      told(fail(errc::not_allowed, "the server is stopping",
                                "runtime_closing"));
                    };
                    if (until == 0
                        || feed->sessions().when_more(
                             session_id, until - 1, tell,
                             session_catalog::clock::time_point::max())
                             == 0)
                      tell();
                  });
}

namespace {

std::function<void()>
looking(std::shared_ptr<session_views> views, std::string session_id,
        std::function<void(result<void>, const session_view*)> to) {
  return [views = std::move(views), session_id = std::move(session_id),
          to = std::move(to)] {
    auto done = views->look(session_id,
                            [&](const session_view& view) { to({}, &view); });
    if (!done)
      to(std::move(done), nullptr);
  };
}

} // namespace

bool session_host::look(
  const std::string& session_id,
  std::function<void(result<void>, const session_view*)> to) {
  return feed_->run(looking(views_, session_id, std::move(to)));
}

void session_host::look_in_turn(
  const std::string& session_id,
  std::function<void(result<void>, const session_view*)> to) {
  feed_->run_in_turn(looking(views_, session_id, std::move(to)));
}

} // namespace convene::server
