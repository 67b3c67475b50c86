#include <convene/runtime/log/recovery/log_ledger.hpp>
#include <convene/server/sessions/event_feed.hpp>

#include <utility>

namespace convene::server {
namespace {

protocol::error removed() {
  return {.code = protocol::errc::unreadable,
          .message = "the session ended long ago and was removed",
          .rule = "session_unknown"};
}

} // namespace

std::optional<request_change> event_feed::add(const host::log_place& place,
                                              std::string_view line) {
  const auto head = host::head_of(line);
  if (head.session_id.empty())
    return std::nullopt;
  // Before anybody can hear of it.
  places_.add(head.session_id, place, line.size());
  auto change = sessions_.feed(line);
  if (head.event_type == "MAPSessionCompleted")
    places_.end(head.session_id);
  return change;
}

void event_feed::forget(const std::string& session_id) {
  sessions_.drop_ended(session_id);
  places_.forget(session_id);
}

protocol::result<event_page> event_feed::read(const std::string& session_id,
                                              std::uint64_t after,
                                              const page_limits& limits) const {
  event_page page{.after = after};
  const auto row = sessions_.find(session_id);
  if (!row && after != 0)
    return protocol::fail(removed());
  if (!row) {
    page.is_end = true; // a draft that was dropped
    return page;
  }
  const auto left = row->events > after ? row->events - after : 0;
  if (left == 0) {
    page.is_end = row->ended;
    return page;
  }
  auto most = limits;
  if (most.events > left) // what is behind is not durable yet
    most.events = static_cast<std::size_t>(left);
  auto has = places_.read(session_id, after, most, page.events);
  if (!has && !sessions_.find(session_id))
    return protocol::fail(removed());
  if (!has)
    return protocol::fail(std::move(has).error());
  // Of those that are in reach, loading them again would bring no more.
  if (*has && page.events.empty())
    return protocol::fail(protocol::errc::unreadable,
                          "the log does not have the events of session "
                            + session_id);
  page.is_loading = !*has;
  page.is_full = *has && page.events.size() < most.events;
  page.is_end = row->ended && after + page.events.size() == row->events;
  return page;
}

bool event_feed::is_far(const std::string& session_id,
                        std::uint64_t after) const {
  const auto row = sessions_.find(session_id);
  return row && row->events > after && row->events - after > fresh_events;
}

bool event_feed::load(const std::string& session_id,
                      std::function<void(protocol::result<void>)> then) {
  return run([self = shared_from_this(), session_id, then = std::move(then)] {
    then(self->places_.load(session_id));
  });
}

/// However a job ends, there is room for another one.
struct event_feed::at_end {
  std::shared_ptr<event_feed> feed;

  ~at_end() {
    feed->submit_put_off();
  }
};

/// With the lock held.
bool event_feed::submit(std::function<void()> job) {
  return pool_ != nullptr
         && pool_->try_submit([self = shared_from_this(),
                               job = std::move(job)] {
              const at_end next{self};
              job();
            }) != 0;
}

bool event_feed::run(std::function<void()> job) {
  const std::lock_guard held{mutex_};
  return submit(std::move(job));
}

void event_feed::run_in_turn(std::function<void()> job) {
  const std::lock_guard held{mutex_};
  // Where there is no room, a job that has it ends later.
  if (pool_ != nullptr && (!put_off_.empty() || !submit(job)))
    put_off_.push_back(std::move(job));
}

void event_feed::submit_put_off() {
  const std::lock_guard held{mutex_};
  while (!put_off_.empty() && submit(put_off_.front()))
    put_off_.pop_front();
}

void event_feed::close() {
  {
    const std::lock_guard held{mutex_};
    pool_ = nullptr;
    put_off_.clear();
  }
  sessions_.close();
}

} // namespace convene::server
