#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace convene::protocol {

// Characters of UTF-8 text, found by their first bytes. Text that is not valid
// is safe to pass: a byte that continues no character counts as part of the
// one before it. `protocol/json/json_text.hpp` validates and repairs text.

/// Whether the byte is the first of a character.
[[nodiscard]] constexpr bool begins_character(char c) noexcept {
  return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
}

[[nodiscard]] constexpr std::size_t
count_characters(std::string_view text) noexcept {
  return static_cast<std::size_t>(
    std::ranges::count_if(text, begins_character));
}

/// The longest beginning of the text that has at most `bytes` bytes and ends
/// between two characters. Of text that is not valid it may be empty.
[[nodiscard]] constexpr std::string_view cut_utf8(std::string_view text,
                                                  std::size_t bytes) noexcept {
  if (text.size() <= bytes)
    return text;
  while (bytes > 0 && !begins_character(text[bytes]))
    --bytes;
  return text.substr(0, bytes);
}

} // namespace convene::protocol
