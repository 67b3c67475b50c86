#pragma once

namespace convene::protocol {

// ASCII character classes, independent of the locale; other bytes are in none.

[[nodiscard]] constexpr bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

[[nodiscard]] constexpr bool is_lower(char c) noexcept {
  return c >= 'a' && c <= 'z';
}

[[nodiscard]] constexpr bool is_upper(char c) noexcept {
  return c >= 'A' && c <= 'Z';
}

[[nodiscard]] constexpr bool is_alnum(char c) noexcept {
  return is_digit(c) || is_lower(c) || is_upper(c);
}

[[nodiscard]] constexpr bool is_hex(char c) noexcept {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// White space between the tokens of a JSON text.
[[nodiscard]] constexpr bool is_json_space(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

} // namespace convene::protocol
