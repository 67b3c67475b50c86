#pragma once

#include <chrono>
#include <cstdint>

namespace convene::server {

/// So many in a minute: a bucket that is full at first and is filled evenly.
class minute_bucket {
public:
  using time = std::chrono::steady_clock::time_point;

  explicit minute_bucket(std::int64_t per_minute)
    : per_minute_{per_minute}, level_{static_cast<double>(per_minute)} {}

  /// Fills it up to `now`.
  void fill(time now);

  [[nodiscard]] bool has(std::int64_t count) const {
    return level_ >= static_cast<double>(count);
  }

  /// May go below zero: what comes next waits the longer.
  void take(std::int64_t count) {
    level_ -= static_cast<double>(count);
  }

  [[nodiscard]] std::int64_t remaining() const;
  /// Until so many are in it; of more than it holds, until it is full.
  [[nodiscard]] std::chrono::milliseconds until(std::int64_t count) const;
  [[nodiscard]] std::int64_t per_minute() const {
    return per_minute_;
  }

private:
  std::int64_t per_minute_;
  double level_;
  time filled_{};
};

} // namespace convene::server
