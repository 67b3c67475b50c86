#pragma once

#include <convene/runtime/log/event_bus/subscriber.hpp>

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace convene::host {

/// The most subscriptions of a runtime at a time.
inline constexpr std::size_t subscriptions_max = 64;

/// Passes lines that were appended to a log on to subscribers, once the log has
/// acknowledged them, in the log's order. Costs nothing without subscribers.
/// Thread-safe.
class event_bus {
public:
  /// A position in bytes, which grows with each append.
  using place = std::uint64_t;

  /// From now on. `appended` says up to where the log has been appended to.
  /// Rules `event_family`, for a filter with a family that no event has,
  /// `events_max`, for one that is waited for and holds none, and
  /// `subscriptions_max`.
  [[nodiscard]] protocol::result<subscription>
  subscribe(subscription_options how, const std::function<place()>& appended);

  /// Whether lines have to be passed to it. To be asked after appending.
  [[nodiscard]] bool is_active() const noexcept {
    return active_.load();
  }

  /// Waits until the queues of those that sessions wait for have room.
  void wait_for_room();

  /// Complete lines that are on the log between two places. Any order of calls
  /// will do.
  void appended(std::string_view lines, place begin, place end);

  /// What is between these places, whole appends, is not on the log: it is
  /// passed on to no subscriber. Before `kept` is called with a later place.
  void refused(place begin, place end);

  /// Everything before this place is acknowledged.
  void kept(place until);

  /// Nothing more will be.
  void end(subscription_end why);

private:
  using list = std::vector<std::weak_ptr<subscriber>>;

  struct routed {
    std::uint64_t number = 0; ///< among those of its append, from 1
    std::shared_ptr<const std::string> line;
    std::vector<std::shared_ptr<subscriber>> to;
  };
  struct waiting {
    place begin = 0;
    place end = 0;
    std::uint64_t count = 0;    ///< events
    std::vector<routed> events; ///< those that are for somebody
  };

  struct refused_part {
    place begin = 0;
    place end = 0;
  };

  [[nodiscard]] std::vector<std::shared_ptr<subscriber>> subscribers() const;
  static void drop(waiting& which, const refused_part& part);
  void deliver();
  void forget_ended();

  std::atomic<bool> active_ = false;
  std::atomic<bool> waits_ = false; ///< there was one that sessions wait for
  mutable std::mutex mutex_;        ///< guards what follows
  list all_;
  std::deque<waiting> waiting_;      ///< in order of places
  std::deque<refused_part> refused_; ///< behind `next_`
  place next_ = 0;                   ///< everything before was delivered
  place kept_ = 0;
  std::uint64_t count_ = 0; ///< events delivered
  std::optional<subscription_end> end_;
};

} // namespace convene::host
