#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>

namespace convene::protocol {

/// A rate limit: tokens that are taken at once and come back evenly. Full at
/// first. It reads no clock: the caller passes the time, and an earlier time
/// than before changes nothing. A value, so not thread-safe.
class token_bucket {
public:
  using time = std::chrono::steady_clock::time_point;
  using milliseconds = std::chrono::milliseconds;

  /// Holds `capacity` tokens and gets `refill` of them in each `period`, which
  /// must not be zero.
  token_bucket(double capacity, double refill, milliseconds period) noexcept
    : capacity_{capacity}, refill_{refill}, period_{period}, level_{capacity} {
    // nop
  }

  /// Adds what has come back by `now`.
  void fill(time now) noexcept {
    if (filled_ && now > *filled_) {
      const std::chrono::duration<double, std::nano> passed = now - *filled_;
      const std::chrono::duration<double, std::nano> period = period_;
      level_ = std::min(capacity_,
                        level_ + refill_ * (passed.count() / period.count()));
    }
    if (!filled_ || now > *filled_)
      filled_ = now;
  }

  [[nodiscard]] bool is_full() const noexcept {
    return level_ >= capacity_;
  }

  [[nodiscard]] bool has(double tokens) const noexcept {
    return level_ >= tokens;
  }

  /// May take more than are there: the next caller then waits longer.
  void take(double tokens) noexcept {
    level_ -= tokens;
  }

  /// The whole tokens that are there.
  [[nodiscard]] std::int64_t remaining() const noexcept {
    return static_cast<std::int64_t>(std::max(0.0, std::floor(level_)));
  }

  /// How long until so many tokens are there, rounded up. For more than the
  /// capacity: until the bucket is full.
  [[nodiscard]] milliseconds until(double tokens) const noexcept {
    const double wanted = std::min(tokens, capacity_);
    if (level_ >= wanted)
      return milliseconds{0};
    const double periods = (wanted - level_) / refill_;
    return milliseconds{static_cast<std::int64_t>(
      std::ceil(periods * static_cast<double>(period_.count())))};
  }

private:
  double capacity_;
  double refill_;
  milliseconds period_;
  double level_;
  std::optional<time> filled_;
};

} // namespace convene::protocol
