#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace convene::protocol {

// Characters that do not show in text or reorder what stands around them, so
// that two texts can look the same, or other than they are.

struct character_range {
  char32_t first;
  char32_t last;
};

/// Characters that take no place of their own: those that Unicode has as
/// default-ignorable, which file systems leave out when they compare names, and
/// marks of interlinear text.
inline constexpr std::array invisible_characters{
  character_range{0xad, 0xad},       character_range{0x34f, 0x34f},
  character_range{0x61c, 0x61c},     character_range{0x115f, 0x1160},
  character_range{0x17b4, 0x17b5},   character_range{0x180b, 0x180f},
  character_range{0x200b, 0x200f},   character_range{0x2028, 0x202e},
  character_range{0x2060, 0x206f},   character_range{0x3164, 0x3164},
  character_range{0xfe00, 0xfe0f},   character_range{0xfeff, 0xfeff},
  character_range{0xffa0, 0xffa0},   character_range{0xfff0, 0xfffb},
  character_range{0x1bca0, 0x1bca3}, character_range{0x1d173, 0x1d17a},
  character_range{0xe0000, 0xe0fff}};

[[nodiscard]] constexpr bool is_invisible(char32_t c) noexcept {
  return c >= invisible_characters.front().first
         && std::ranges::any_of(invisible_characters,
                                [c](const character_range& each) {
                                  return c >= each.first && c <= each.last;
                                });
}

/// Whether it steers a terminal instead of showing: C0, DEL and C1.
[[nodiscard]] constexpr bool is_control_character(char32_t c) noexcept {
  return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

/// Takes the first character off a text that is valid UTF-8 and not empty. Of
/// text that is not valid, a byte may count as a character.
constexpr char32_t take_character(std::string_view& text) noexcept {
  const auto byte = [&text](std::size_t at) {
    return static_cast<unsigned char>(text[at]);
  };
  const auto lead = byte(0);
  const std::size_t bytes = lead < 0xc0   ? 1
                            : lead < 0xe0 ? 2
                            : lead < 0xf0 ? 3
                                          : 4;
  char32_t value = lead;
  const bool whole = bytes > 1 && bytes <= text.size();
  if (whole) {
    value = lead & (0xffU >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i)
      value = value << 6 | (byte(i) & 0x3fU);
  }
  text.remove_prefix(whole ? bytes : 1);
  return value;
}

} // namespace convene::protocol
