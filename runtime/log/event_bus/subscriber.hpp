#pragma once

#include <convene/runtime/log/event_bus/subscription.hpp>

#include <condition_variable>
#include <deque>
#include <mutex>

namespace convene::host {

/// The bounded queue behind a subscription. Thread-safe.
class subscriber {
public:
  explicit subscriber(subscription_options how) : how_{std::move(how)} {}

  [[nodiscard]] const event_filter& filter() const noexcept {
    return how_.filter;
  }

  /// Whether sessions wait for it.
  [[nodiscard]] bool is_waited_for() const noexcept {
    return how_.behind == when_behind::wait;
  }

  /// Waits until its queue has room, or it has ended.
  void wait_for_room();

  /// Never waits. False once it has ended.
  bool push(const event_delivered& event);

  /// Nothing more comes. What is in the queue stays, unless it is cancelled.
  void end(subscription_end why);

  /// Waits, at most until `until` if that is given.
  std::optional<delivery>
  next(std::optional<std::chrono::steady_clock::time_point> until);

  /// Unset: more may come, or is in the queue.
  [[nodiscard]] std::optional<subscription_end> ended() const;

  /// Whether it takes nothing more.
  [[nodiscard]] bool is_closed() const;

private:
  [[nodiscard]] bool has_something() const;
  [[nodiscard]] bool has_room(std::size_t bytes) const;

  const subscription_options how_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable has_room_;
  std::deque<delivery> queue_;
  std::size_t bytes_ = 0;
  std::uint64_t missed_ = 0; ///< since the last event in the queue
  std::optional<subscription_end> end_;
};

} // namespace convene::host
