#include <convene/protocol/base/invisible.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/shown/shown_text.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace convene::protocol {
namespace {

/// One character of valid UTF-8.
struct character {
  char32_t value = 0;
  std::size_t bytes = 1;
};

character first_of(std::string_view text) noexcept {
  auto rest = text;
  const auto value = take_character(rest);
  return {value, text.size() - rest.size()};
}

/// Whether a terminal would not just show it. The mark that asks for a picture
/// instead of a sign is harmless and frequent.
bool is_active(char32_t c) noexcept {
  constexpr char32_t as_picture = 0xfe0f;
  return is_control_character(c) || (is_invisible(c) && c != as_picture);
}

/// Columns on a terminal, as far as ranges tell: ideographs, kana, Hangul and
/// pictures take two, combining marks none.
std::size_t width_of(char32_t c) noexcept {
  if ((c >= 0x300 && c <= 0x36f) || c == 0x200b || c == 0x200d
      || (c >= 0xfe00 && c <= 0xfe0f))
    return 0;
  const bool wide
    = (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf)
      || (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff)
      || (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60)
      || (c >= 0x1f300 && c <= 0x1faff) || (c >= 0x20000 && c <= 0x3fffd);
  return wide ? 2 : 1;
}

/// The longest beginning of neutral text that takes at most `columns`.
std::string_view beginning(std::string_view text,
                           std::size_t columns) noexcept {
  std::size_t bytes = 0;
  for (std::size_t used = 0; bytes < text.size();) {
    const auto next = first_of(text.substr(bytes));
    used += width_of(next.value);
    if (used > columns)
      break;
    bytes += next.bytes;
  }
  return text.substr(0, bytes);
}

} // namespace

std::string neutral(std::string_view text) {
  const auto valid = sanitize_utf8(std::string{text});
  std::string safe;
  safe.reserve(valid.size());
  for (std::string_view rest = valid; !rest.empty();) {
    const auto [value, bytes] = first_of(rest);
    if (value == '\n' || value == '\r' || value == '\t')
      safe += ' ';
    else if (is_active(value))
      safe += "\xef\xbf\xbd";
    else
      safe += rest.substr(0, bytes);
    rest.remove_prefix(bytes);
  }
  return safe;
}

std::string neutral_json(std::string_view text) {
  constexpr unsigned char last_plain = '~';
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const auto plain
      = std::ranges::find_if(
          text,
          [](char c) { return static_cast<unsigned char>(c) > last_plain; })
        - text.begin();
    safe += text.substr(0, static_cast<std::size_t>(plain));
    text.remove_prefix(static_cast<std::size_t>(plain));
    if (text.empty())
      break;
    const auto [value, bytes] = first_of(text);
    if (!is_active(value))
      safe += text.substr(0, bytes);
    else if (value < 0x10000)
      safe += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(value));
    else
      safe += fmt::format("\\u{:04x}\\u{:04x}",
                          0xd7c0U + static_cast<std::uint32_t>(value >> 10U),
                          0xdc00U + static_cast<std::uint32_t>(value & 0x3ffU));
    text.remove_prefix(bytes);
  }
  return safe;
}

std::size_t width(std::string_view text) noexcept {
  std::size_t columns = 0;
  while (!text.empty()) {
    const auto [value, bytes] = first_of(text);
    columns += width_of(value);
    text.remove_prefix(bytes);
  }
  return columns;
}

std::string fit(std::string_view text, std::size_t columns) {
  // Nothing beyond can show: 4 bytes a character, and marks without width.
  const auto safe = neutral(text.substr(0, columns * 16 + 16));
  const auto shown = beginning(safe, columns);
  if (shown.size() == safe.size() || columns == 0)
    return std::string{shown};
  return std::string{beginning(safe, columns - 1)} + "…";
}

std::string_view cut_row(std::string_view& text, std::size_t columns) {
  if (text.empty())
    return {};
  auto bytes = std::max(beginning(text, columns).size(), first_of(text).bytes);
  auto next = bytes;
  if (bytes < text.size())
    if (const auto space = text.rfind(' ', bytes);
        space != text.npos && space > 0) {
      bytes = space;
      next = space + 1;
    }
  const auto row = text.substr(0, bytes);
  text.remove_prefix(next);
  return row;
}

} // namespace convene::protocol
