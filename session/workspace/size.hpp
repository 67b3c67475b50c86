#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/error.hpp>

#include <cstddef>

namespace convene::session {

namespace json = boost::json;

/// How deep a resource's value may nest, and how large it may be.
inline constexpr std::size_t value_depth_max = 64;
inline constexpr std::size_t value_bytes_max = std::size_t{1} << 20;

/// What a value takes, roughly as many bytes as its JSON text, and how deep it
/// nests: 1 for a number. Stops counting beyond a bound, so that no value costs
/// more than about a mebibyte's worth of looking.
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
