#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/log/event_bus/subscription.hpp>
#include <convene/runtime/log/event_log/log_reader.hpp>
#include <convene/runtime/log/event_log/reader.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

namespace convene::server {

/// Reads a log that a runtime of this process writes, up to the event that is
/// durable last, and further as more are. However far it falls behind, it
/// misses nothing and holds nothing: the runtime's subscription only counts.
class log_follower {
public:
  struct calls {
    host::log_visitor event;     ///< the log's next durable event
    std::function<void()> pause; ///< all that are durable were shown
    /// Nothing more follows; with an error, because the log cannot be read or
    /// written.
    std::function<void(std::optional<protocol::error>)> end;
  };

  /// Shows the first `found` events, then returns and goes on with those that
  /// `more` tells of, on a thread of its own.
  [[nodiscard]] static protocol::result<std::unique_ptr<log_follower>>
  open(const std::filesystem::path& log, std::uint64_t found, subscription more,
       calls to);

  log_follower(const log_follower&) = delete;
  log_follower& operator=(const log_follower&) = delete;

  /// After the runtime was closed: waits until all was shown.
  ~log_follower();

private:
  log_follower(host::log_reader reader, subscription more, calls to)
    : reader_{std::move(reader)}, more_{std::move(more)}, to_{std::move(to)} {}

  [[nodiscard]] protocol::result<void> show(std::uint64_t until);
  void run();

  host::log_reader reader_; ///< the thread's own, once it runs
  std::uint64_t shown_ = 0;
  std::uint64_t durable_ = 0;
  subscription more_;
  calls to_;
  std::thread thread_;
};

/// What `more` is to be made with: events are counted, not kept.
[[nodiscard]] inline subscription_options counting_subscription() {
  return {.events_max = 1, .behind = when_behind::skip};
}

} // namespace convene::server
