#pragma once

#include <convene/protocol/base/ascii.hpp>

#include <string>
#include <string_view>

namespace convene::protocol {

/// Text as a segment of a URL's path or a value in its query: all but the
/// unreserved characters of RFC 3986 as %XX.
[[nodiscard]] inline std::string percent_encoded(std::string_view text) {
  static constexpr std::string_view digits = "0123456789ABCDEF";
  std::string made;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_alnum(c) || c == '-' || c == '_' || c == '.' || c == '~')
      made += c;
    else
      ((made += '%') += digits[byte >> 4U]) += digits[byte & 15U];
  }
  return made;
}

} // namespace convene::protocol
