#include <convene/server/runs/run_host.hpp>
#include <spdlog/spdlog.h>

namespace convene::server {

using protocol::result;

// -- opening and closing

result<std::unique_ptr<run_host>> run_host::open(run_host_options how) {
  std::unique_ptr<run_host> made{new run_host{std::move(how)}};
  made->link_->host = made.get();
  auto workflows = workflow_store::open(made->how_.workflows,
                                        made->how_.data / "definitions");
  if (!workflows)
    return protocol::fail(std::move(workflows).error());
  made->workflows_ = std::make_unique<workflow_store>(*std::move(workflows));
  auto left = made->read_log();
  if (!left)
    return protocol::fail(std::move(left).error());
  made->alarms_ = std::make_unique<alarms>();
  for (auto& [id, events] : *left)
    made->go_on(id, std::move(events));
  return made;
}

run_host::~run_host() {
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

result<run_host::unfinished> run_host::read_log() {
  unfinished left;
  auto log = run_log::open(
    how_.data / "runs", how_.durable,
    [&](const protocol::uuid& run, std::string_view event) {
      catalog_.read(run, event);
      if (catalog_.has_ended(run)) {
        left.erase(run);
      } else {
        left[run].push_back(std::make_shared<const std::string>(event));
      }
    });
  if (!log)
    return protocol::fail(std::move(log).error());
  log_ = *std::move(log);
  return left;
}

void run_host::go_on(const protocol::uuid& id, std::vector<event_text> events) {
  auto run = make(id, std::move(events));
  {
    // Runs before it go on already.
    const std::lock_guard lock{mutex_};
    live_.emplace(id, run);
  }
  live_bytes_ += run->record->bytes();
  if (run->failure) {
    spdlog::error("run {} cannot go on: {}", to_string(id),
                  to_string(*run->failure));
    catalog_.mark_broken(id);
    return;
  }
  for (const auto& each : run->machine.open_sessions())
    start_session(run, each);
  if (!run->machine.is_replay())
    feed(run, session::check_timers{}, {});
}

run_host::run_pointer run_host::make(const protocol::uuid& id,
                                     std::vector<event_text> events) {
  result<std::shared_ptr<const protocol::workflow>> of = [&] {
    const std::lock_guard lock{mutex_};
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

run_host::run_pointer run_host::find(std::string_view run_id) {
  const auto id = protocol::parse_uuid(run_id);
  if (!id || to_string(*id) != run_id)
    return nullptr;
  {
    const std::lock_guard lock{mutex_};
    if (const auto found = live_.find(*id); found != live_.end())
      return found->second;
    if (!catalog_.has_ended(*id))
      return nullptr;
    for (const auto& each : cache_)
      if (each->id == *id)
        return each;
  }
  auto loaded = load(*id);
  if (!loaded->failure) // another time it may be read
    keep_ended(loaded);
  return loaded;
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

void run_host::finish(const run_pointer& run) {
  {
    const std::lock_guard lock{mutex_};
    if (live_.erase(run->id) == 0)
      return;
    live_bytes_ -= run->record->bytes();
  }
  keep_ended(run);
}

std::pair<std::size_t, std::size_t> run_host::count() const {
  const std::lock_guard lock{mutex_};
  return {live_.size(), catalog_.ended()};
}

} // namespace convene::server
