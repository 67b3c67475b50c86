#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace convene::server {

/// An event of a run, as text without a line end.
using event_text = std::shared_ptr<const std::string>;

/// For `run_record::read`: as many as there are.
inline constexpr std::size_t all_events
  = std::numeric_limits<std::size_t>::max();

/// The events of one run that may be shown: those that are as durable as the
/// server's setting says. The place of an event is its sequence. Thread-safe.
class run_record {
public:
  using clock = std::chrono::steady_clock;

  /// Events from a place on, and whether these are the last the run will have.
  struct slice {
    std::vector<event_text> events;
    bool is_end = false;      ///< nothing follows them
    bool is_complete = false; ///< as the run has ended, which its last one says
  };

  /// Adds events that are yet to be shown.
  void add(std::vector<event_text> events);

  /// The events before this place are durable now. `ends` says that the last of
  /// them is the run's last. Calls whoever waits for more.
  void show(std::size_t until, bool ends);

  /// Nothing more will be durable: readers are sent off.
  void give_up();

  /// The events from `from` on that may be shown, `most` of them at most.
  [[nodiscard]] slice read(std::size_t from, std::size_t most) const;

  /// All events from `from` on, also those that may not be shown yet: for what
  /// is durable no sooner than they are.
  [[nodiscard]] std::vector<event_text> all(std::size_t from = 0) const;

  /// Calls `then` once, on any thread, as soon as there is an event at `from`
  /// that may be shown, or none will ever be; at once if that is so already.
  /// It must not block. Returns a number for `forget`; 0: it was called. After
  /// `expires` the call may be left out.
  std::size_t when_more(std::size_t from, std::function<void()> then,
                        clock::time_point expires = clock::time_point::max());

  /// Cancels a call of `when_more`, unless it is being made.
  void forget(std::size_t number);

  /// The bytes of all events.
  [[nodiscard]] std::size_t bytes() const;
  /// How many events may be shown.
  [[nodiscard]] std::size_t shown() const;
  /// Whether the last one may be.
  [[nodiscard]] bool ended() const;

private:
  struct waiter {
    std::size_t from = 0;
    std::function<void()> then;
    clock::time_point expires;
  };

  mutable std::mutex mutex_;
  std::vector<event_text> events_;
  std::size_t bytes_ = 0;
  std::size_t shown_ = 0;
  bool ended_ = false;
  bool given_up_ = false;
  std::size_t last_number_ = 0;
  std::map<std::size_t, waiter> waiting_;
  static constexpr std::size_t sweep_least = 16;
  std::size_t sweep_at_ = sweep_least; ///< so many wait: drop the expired
};

} // namespace convene::server
