#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/words.hpp>
#include <convene/runtime/log/event_log/event_filter.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <variant>

namespace convene::host {
class subscriber;
} // namespace convene::host

namespace convene {

/// What becomes of a subscription whose queue is full.
enum class when_behind : std::uint8_t {
  skip,   ///< it misses events, and is told how many
  detach, ///< it ends, after what is in its queue
  /// All sessions wait until there is room. What they have said already is
  /// queued all the same. Read it on a thread that waits for no session.
  wait,
};

struct subscription_options {
  /// Which events: by session, type, family and the like.
  host::event_filter filter = {};
  std::size_t events_max = 10'000;               ///< in its queue
  std::size_t bytes_max = std::size_t{64} << 20; ///< likewise
  when_behind behind = when_behind::skip;
};

/// An event, as its line on the log without the line's end.
struct event_delivered {
  /// Its place among all events since somebody subscribed, from 1: of two
  /// events that two subscriptions get, both have the same order and numbers.
  std::uint64_t number = 0;
  std::shared_ptr<const std::string> line;
};

/// Events that were selected are missing here, because the queue was full.
struct events_missed {
  std::uint64_t count = 0;
};

using delivery = std::variant<event_delivered, events_missed>;

/// Why a subscription gets nothing more.
enum class subscription_end : std::uint8_t {
  cancelled,      ///< by `cancel`, or a listener that threw
  detached,       ///< its queue was full
  runtime_closed, ///< all that was logged has been delivered
  log_failed,     ///< what follows was never acknowledged
};

/// A queue of events that a runtime has acknowledged, in the log's order, so
/// never an event before its cause. Thread-safe; copies are the same
/// subscription, and each event goes to one of those who wait. May outlive its
/// runtime. The last copy to go cancels it.
class subscription {
public:
  explicit subscription(std::shared_ptr<host::subscriber> queue)
    : queue_{std::move(queue)} {}

  /// Waits for what comes next. Nothing: it has ended, and `ended` says why.
  [[nodiscard]] CONVENE_API std::optional<delivery> next() const;

  /// The same, and nothing after `limit`, too, a year at most.
  [[nodiscard]] CONVENE_API std::optional<delivery>
  next_for(std::chrono::milliseconds limit) const;

  /// Ends it at once; what is in the queue is dropped.
  CONVENE_API void cancel() const;

  /// Unset: more may come, or is in the queue.
  [[nodiscard]] CONVENE_API std::optional<subscription_end> ended() const;

private:
  std::shared_ptr<host::subscriber> queue_;
};

/// Calls a function for each delivery, one at a time, on a thread of its own.
/// If it throws, the subscription is cancelled. The destructor cancels it and
/// waits for the call that is going on, so it must not be run by that call.
class event_listener {
public:
  CONVENE_API event_listener(subscription to,
                             std::function<void(const delivery&)> call);
  event_listener(const event_listener&) = delete;
  event_listener& operator=(const event_listener&) = delete;
  CONVENE_API ~event_listener();

  /// Waits until the subscription has ended and everything was delivered.
  CONVENE_API void join();

private:
  subscription to_;
  std::thread thread_;
};

} // namespace convene
