#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace convene::c_api {

/// The time that a caller asks for, as one that can be waited for: from nothing
/// to a year.
[[nodiscard]] inline std::chrono::milliseconds wait_limit(std::int64_t ms) {
  constexpr std::int64_t year = std::int64_t{365} * 24 * 60 * 60 * 1000;
  return std::chrono::milliseconds{std::clamp(ms, std::int64_t{0}, year)};
}

} // namespace convene::c_api
