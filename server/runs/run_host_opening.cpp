#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/runs/run_host.hpp>
#include <spdlog/spdlog.h>

#include <set>

namespace convene::server {

using protocol::result;

namespace {

/// The session that a node begins by this event; empty: none.
std::string begun_session(std::string_view event) {
  for (const auto* const word : {R"("node.started")", R"("sessionId")"})
    if (event.find(word) == event.npos)
      return {};
  const auto parsed = protocol::parse_json(event);
  const auto* const members = parsed ? parsed->if_object() : nullptr;
  if (members == nullptr
      || protocol::text_of(*members, "type") != "node.started")
    return {};
  return std::string{
    protocol::text_of(protocol::object_of(*members, "payload"), "sessionId")};
}

} // namespace

// -- opening and closing

result<std::unique_ptr<run_host>> run_host::open(run_host_options how) {
  std::unique_ptr<run_host> made{new run_host{std::move(how)}};
  made->link_->host = made.get();
  // What it does is of this host, so it is waited for; that reads, and ends.
  made->apart_.emplace(host::pool_limits{.threads = apart_threads_max,
                                         .queue = apart_waiting_max,
                                         .replacements = 0,
                                         .grace = std::chrono::hours{24}});
  auto workflows = workflow_store::open(made->how_.workflows,
                                        made->how_.data / "definitions",
                                        made->how_.has_conversations);
  if (!workflows)
    return protocol::fail(std::move(workflows).error());
  for (const auto& each : workflows->refused())
    spdlog::warn("no workflow: {}", to_string(each.why));
  made->workflows_ = std::make_unique<workflow_store>(*std::move(workflows));
  auto found = made->read_log();
  if (!found)
    return protocol::fail(std::move(found).error());
  made->alarms_ = std::make_unique<alarms>();
  // Not on the log's thread, and not only once something happens.
  made->departures_->call_when_left([self = made.get()] {
    self->alarms_->at(alarms::clock::now(), [self] { self->forget_removed(); });
  });
  for (auto& [id, events] : found->unfinished)
    made->go_on(id, std::move(events));
  // On the thread of what starts and cancels child runs: one at a time.
  made->alarms_->at(alarms::clock::now(),
                    [self = made.get()] { self->go_on_with_children(); });
  made->cancel_unwanted(found->sessions);
  return made;
}

run_host::~run_host() {
  apart_.reset(); // waits
  {
    const std::lock_guard lock{link_->mutex};
    link_->host = nullptr;
  }
  // The log's thread calls back until this returns, and may set alarms.
  if (log_)
    if (const auto closed = log_->close(); !closed)
      spdlog::error("the log of runs: {}", to_string(closed.error()));
  if (alarms_)
    alarms_->stop();
}

result<run_host::found_runs> run_host::read_log() {
  found_runs found;
  auto keeping = how_.keeping;
  keeping.removed = departures_;
  auto log = run_log::open(
    how_.data / "runs", how_.durable,
    [&](const protocol::uuid& run, std::string_view event) {
      const bool has_ended = catalog_.read(run, event);
      if (auto begun = begun_session(event); !begun.empty()
                                             && how_.sessions.goes_on
                                             && how_.sessions.goes_on(begun))
        found.sessions.emplace(std::move(begun), run);
      if (has_ended) {
        found.unfinished.erase(run);
      } else {
        found.unfinished[run].push_back(
          std::make_shared<const std::string>(event));
      }
    },
    keeping);
  if (!log)
    return protocol::fail(std::move(log).error());
  log_ = *std::move(log);
  return found;
}

void run_host::go_on(const protocol::uuid& id, std::vector<event_text> events) {
  auto run = make(id, std::move(events));
  if (auto fault = log_->fault_of(id))
    run->failure = std::move(fault);
  {
    // Runs before it go on already.
    const std::lock_guard lock{mutex_};
    live_.emplace(id, run);
  }
  live_bytes_ += run->record->bytes();
  if (run->failure) {
    spdlog::error("run {} cannot continue: {}", to_string(id),
                  to_string(*run->failure));
    catalog_.mark_broken(id);
    return;
  }
  for (const auto& each : run->machine.open_sessions())
    start_session(run, each);
  if (!run->machine.is_replay())
    feed(run, session::check_timers{}, {});
}

/// Those whose runs went on without them, when the process ended before they
/// were told.
void run_host::cancel_unwanted(
  const std::map<std::string, protocol::uuid>& sessions) {
  if (sessions.empty() || !how_.sessions.cancel)
    return;
  std::vector<run_pointer> live;
  {
    const std::lock_guard lock{mutex_};
    for (const auto& [id, run] : live_)
      live.push_back(run);
  }
  std::set<std::string> wanted;
  std::set<protocol::uuid> unknown; // runs that cannot be read
  for (const auto& run : live) {
    const std::lock_guard lock{run->mutex};
    if (run->failure)
      unknown.insert(run->id);
    for (auto& each : run->machine.open_sessions())
      wanted.insert(std::move(each.session_id));
  }
  for (const auto& [session, run] : sessions)
    if (!wanted.contains(session) && !unknown.contains(run))
      how_.sessions.cancel(session);
}

run_host::run_pointer run_host::make(const protocol::uuid& id,
                                     std::vector<event_text> events) {
  // Not the lock of all runs: the disk may take its time.
  result<std::shared_ptr<const protocol::workflow>> of = [&] {
    const std::lock_guard lock{definitions_mutex_};
    return workflows_->kept(digest_of(events));
  }();
  auto made = std::make_shared<hosted_run>(
    id, of ? *of : std::make_shared<const protocol::workflow>(),
    session::run_options{.has_conversations = how_.has_conversations});
  if (of)
    restore(*made, std::move(events));
  else
    made->failure = std::move(of).error();
  return made;
}

// -- finding

std::optional<run_host::run_pointer>
run_host::find_near(std::string_view run_id) {
  const auto id = protocol::parse_uuid(run_id);
  if (!id || to_string(*id) != run_id)
    return nullptr;
  const std::lock_guard lock{mutex_};
  if (const auto found = live_.find(*id); found != live_.end())
    return found->second;
  if (!catalog_.has_ended(*id))
    return nullptr;
  for (const auto& each : cache_)
    if (each->id == *id)
      return each;
  return std::nullopt;
}

run_host::run_pointer run_host::find(std::string_view run_id) {
  if (auto near = find_near(run_id))
    return *std::move(near);
  auto loaded = load(*protocol::parse_uuid(run_id));
  if (!loaded->failure) // another time it may be read
    keep_ended(loaded);
  return loaded;
}

bool run_host::do_apart(std::function<void()> job) {
  return apart_->try_submit(std::move(job)) != 0;
}

run_host::run_pointer run_host::load(const protocol::uuid& id) {
  auto events = log_->read(id);
  if (events)
    return make(id, *std::move(events));
  auto made = make(id, {});
  made->failure = std::move(events).error();
  return made;
}

void run_host::keep_ended(run_pointer run) {
  const std::lock_guard lock{mutex_};
  cache_bytes_ += run->record->bytes();
  cache_.push_back(std::move(run));
  while (
    cache_.size() > 1
    && (cache_.size() > ended_kept_max || cache_bytes_ > ended_bytes_max)) {
    cache_bytes_ -= cache_.front()->record->bytes();
    cache_.pop_front();
  }
}

void run_host::forget(const protocol::uuid& id) {
  const std::lock_guard lock{mutex_};
  live_.erase(id);
}

/// What the log has lost, as far as its end was shown.
void run_host::forget_removed() {
  for (const auto& id : departures_->take()) {
    if (!catalog_.find(id))
      continue;
    if (!catalog_.drop_ended(id)) {
      departures_->put_back(id);
      continue;
    }
    const std::lock_guard lock{mutex_};
    std::erase_if(cache_, [&](const run_pointer& each) {
      if (each->id != id)
        return false;
      cache_bytes_ -= each->record->bytes();
      return true;
    });
  }
}

void run_host::finish(const run_pointer& run) {
  {
    const std::lock_guard lock{mutex_};
    if (live_.erase(run->id) == 0)
      return;
    live_bytes_ -= run->record->bytes();
  }
  if (run->share)
    run->share->release();
  keep_ended(run);
  forget_removed();
}

std::pair<std::size_t, std::size_t> run_host::count() const {
  const std::lock_guard lock{mutex_};
  return {live_.size(), catalog_.ended()};
}

} // namespace convene::server
