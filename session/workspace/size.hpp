#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/error.hpp>

#include <cstddef>

namespace convene::session {

namespace json = boost::json;

/// The maximum nesting and size of a resource's value.
inline constexpr std::size_t value_depth_max = 64;
inline constexpr std::size_t value_bytes_max = std::size_t{1} << 20;

/// The size of a value, roughly that of its JSON text in bytes, and its nesting
/// depth: 1 for a number. Stops counting at a bound, so that at most about a
/// mebibyte is examined.
struct value_size {
  std::size_t bytes = 0;
  std::size_t depth = 0;

  [[nodiscard]] bool fits() const noexcept {
    return bytes <= value_bytes_max && depth <= value_depth_max;
  }
};

[[nodiscard]] value_size measure(const json::value& what);

/// Refuses a value that does not fit: `value_bytes_max`, `value_depth_max`.
[[nodiscard]] protocol::result<void> check_fits(const value_size& size);

} // namespace convene::session
