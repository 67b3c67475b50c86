#pragma once

#include <convene/runtime/blocking_pool/blocking_pool.hpp>
#include <convene/server/sessions/event_places.hpp>
#include <convene/server/sessions/session_catalog.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace convene::server {

/// Events of one session that follow on one another.
struct event_page {
  std::uint64_t after = 0; ///< the sequence of the first one is one more
  std::vector<std::string> events;
  bool is_end = false;     ///< the session has none behind them
  bool is_full = false;    ///< of bytes: there are more events, as asked for
  bool is_loading = false; ///< they are not in reach yet: `load` first
};

/// The durable events of all sessions, by session and sequence: the event's
/// number in its session, from 1. A reader is nothing but the sequence that it
/// has got to: what it asks for is read from the log. Thread-safe; outlives the
/// host that feeds it.
class event_feed : public std::enable_shared_from_this<event_feed> {
public:
  event_feed(std::filesystem::path log, host::blocking_pool& pool)
    : places_{std::move(log)}, pool_{&pool} {}

  /// The log's next durable event.
  std::optional<request_change> add(const host::log_place& place,
                                    std::string_view line);

  [[nodiscard]] session_catalog& sessions() noexcept {
    return sessions_;
  }

  /// A session that has ended is not on the log any more.
  void forget(const std::string& session_id);

  /// What follows `after`, which is at most the session's number of events. One
  /// that is not there has none. Fails if they are not on the log any more:
  /// rule `session_unknown`, if they were removed meanwhile.
  [[nodiscard]] protocol::result<event_page>
  read(const std::string& session_id, std::uint64_t after,
       const page_limits& limits) const;

  /// Whether what follows `after` is old: the disk may take its time for it, so
  /// it is to be read by `run`. What was written a moment ago is in memory.
  [[nodiscard]] bool is_far(const std::string& session_id,
                            std::uint64_t after) const;

  /// Brings a session into reach, then calls `then`, on another thread. False:
  /// too much is waiting, or the host is gone.
  [[nodiscard]] bool load(const std::string& session_id,
                          std::function<void(protocol::result<void>)> then);

  /// The same, on this thread.
  [[nodiscard]] protocol::result<void> load(const std::string& session_id) {
    return places_.load(session_id);
  }

  /// Does something that may take long, on another thread. False: too much is
  /// waiting, or the host is gone.
  [[nodiscard]] bool run(std::function<void()> job);

  /// The same, as soon as there is room for it; not at all, if the host goes
  /// first. What calls it bounds how often.
  void run_in_turn(std::function<void()> job);

  /// So many events of a session are what was written a moment ago.
  static constexpr std::uint64_t fresh_events = 64;

  /// The host goes: nothing is loaded any more, and everybody who waits is
  /// called.
  void close();

private:
  session_catalog sessions_;
  event_places places_;
  std::mutex mutex_;
  host::blocking_pool* pool_;                 ///< guarded by it; null: gone
  std::deque<std::function<void()>> put_off_; ///< guarded by it

  struct at_end;
  [[nodiscard]] bool submit(std::function<void()> job);
  void submit_put_off();
};

} // namespace convene::server
