#pragma once

#include <convene/actors/ports/ports.hpp>

#include <chrono>
#include <functional>

namespace convene::host {

/// The machine's clocks, which tests replace.
struct machine_clocks {
  std::function<protocol::timestamp_ms()> wall; ///< may be set, also back
  std::function<std::chrono::milliseconds()> monotonic; ///< only passes
};

/// Those of the operating system.
[[nodiscard]] machine_clocks system_clocks();

/// The time of the events on a log: that of the wall clock when the log was
/// opened, or of the log's last event if that is later, and from there on what
/// the monotonic clock has counted. So it never goes back, and setting the wall
/// clock changes no deadline and no duration. Thread-safe.
class log_clock final : public actors::time_source {
public:
  log_clock(machine_clocks clocks, protocol::timestamp_ms last_event);

  [[nodiscard]] protocol::timestamp_ms now() const override;

  /// How far the wall clock was behind the log's last event; 0: it was not.
  [[nodiscard]] std::chrono::milliseconds behind() const noexcept {
    return behind_;
  }

private:
  machine_clocks clocks_;
  std::chrono::milliseconds behind_;
  protocol::timestamp_ms begin_;       ///< by the log's time
  std::chrono::milliseconds begun_at_; ///< the same by the monotonic clock
};

} // namespace convene::host
