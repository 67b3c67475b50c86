#include <convene/runtime/log_clock.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

machine_clocks system_clocks() {
  return {
    .wall =
      [] {
        const auto passed = std::chrono::system_clock::now().time_since_epoch();
        return duration_cast<milliseconds>(passed).count();
      },
    .monotonic =
      [] {
        const auto passed = std::chrono::steady_clock::now().time_since_epoch();
        return duration_cast<milliseconds>(passed);
      }};
}

log_clock::log_clock(machine_clocks clocks, protocol::timestamp_ms last_event)
  : clocks_(std::move(clocks)) {
  const auto wall = clocks_.wall();
  begin_ = std::max(wall, last_event);
  behind_ = milliseconds{begin_ - wall};
  begun_at_ = clocks_.monotonic();
}

protocol::timestamp_ms log_clock::now() const {
  return begin_ + (clocks_.monotonic() - begun_at_).count();
}

} // namespace convene::host
