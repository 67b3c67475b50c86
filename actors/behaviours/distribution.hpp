#pragma once

#include <cstdint>

namespace convene::actors {

/// A number that is drawn: milliseconds, bytes, tokens, millionths of a dollar.
struct distribution {
  enum class shape : std::uint8_t { constant, uniform, lognormal };

  shape kind = shape::constant;
  double low = 0;  ///< the constant, the least, the median
  double high = 0; ///< the most, the 99th percentile

  /// The number for a uniform draw: a whole one, from 0 to
  /// `session::duration_ms_max`.
  [[nodiscard]] std::int64_t at(double share) const noexcept;

  bool operator==(const distribution&) const = default;
};

} // namespace convene::actors
