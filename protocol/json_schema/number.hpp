#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace convene::protocol::validation {

/// A JSON number as the parsers hand it over.
struct number {
  enum class form : std::uint8_t { signed_integer, unsigned_integer, real };

  form is = form::signed_integer;
  union {
    std::int64_t i = 0;
    std::uint64_t u;
    double d;
  };

  [[nodiscard]] static number of(std::int64_t value) noexcept;
  [[nodiscard]] static number of(std::uint64_t value) noexcept;
  [[nodiscard]] static number of(double value) noexcept;
};

/// Compares by value, exactly: no integer is rounded on the way.
[[nodiscard]] std::partial_ordering compare(const number& a,
                                            const number& b) noexcept;

/// Whether `value` is a multiple of `unit`, both read as the shortest decimals
/// that they print as: 0.0075 is a multiple of 0.0001. `unit` is positive.
[[nodiscard]] bool is_multiple(const number& value,
                               const number& unit) noexcept;

/// Whether a real has no fraction.
[[nodiscard]] bool is_whole(double value) noexcept;

[[nodiscard]] double to_double(const number& value) noexcept;
[[nodiscard]] std::string to_string(const number& value);

} // namespace convene::protocol::validation
