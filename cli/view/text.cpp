#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace convene::cli {
namespace {

/// One character of valid UTF-8.
struct character {
  char32_t value = 0;
  std::size_t bytes = 1;
};

character first_of(std::string_view text) noexcept {
  const auto lead = static_cast<std::uint8_t>(text.front());
  const std::size_t bytes = lead < 0x80   ? 1
                            : lead < 0xe0 ? 2
                            : lead < 0xf0 ? 3
                                          : 4;
  if (bytes == 1 || bytes > text.size())
    return {lead, 1};
  char32_t value = lead & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i)
    value = value << 6 | (static_cast<std::uint8_t>(text[i]) & 0x3fU);
  return {value, bytes};
}

/// Marks that reorder what stands around them.
bool turns_direction(char32_t c) noexcept {
  return c == 0x61c || c == 0x200e || c == 0x200f
         || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
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

/// In quotes in which every byte that is not printable ASCII has an escape.
std::string escaped_word(std::string_view text) {
  std::string quoted = "$'";
  for (const char c : text) {
    if (c == '\'' || c == '\\')
      quoted += '\\';
    if (c >= ' ' && c <= '~')
      quoted += c;
    else
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return quoted + '\'';
}

} // namespace

std::string neutral(std::string_view text) {
  const auto valid = protocol::sanitize_utf8(std::string{text});
  std::string safe;
  safe.reserve(valid.size());
  for (std::string_view rest = valid; !rest.empty();) {
    const auto [value, bytes] = first_of(rest);
    if (value == '\n' || value == '\r' || value == '\t')
      safe += ' ';
    else if (value < 0x20 || (value >= 0x7f && value < 0xa0)
             || turns_direction(value))
      safe += "\xef\xbf\xbd";
    else
      safe += rest.substr(0, bytes);
    rest.remove_prefix(bytes);
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

std::string spent(std::int64_t tokens, std::int64_t microusd) {
  auto words = tokens > 0 ? plural(tokens, "token") : std::string{};
  if (microusd <= 0)
    return words;
  constexpr std::int64_t million = 1'000'000;
  auto money = fmt::format("${}.{:06}", microusd / million, microusd % million);
  const auto least = money.find('.') + 3;
  money.resize(std::max(money.find_last_not_of('0') + 1, least));
  return words + (words.empty() ? "" : ", ") + money;
}

std::string column(std::string_view text, std::size_t columns) {
  auto fitted = fit(text, columns);
  fitted.append(columns - width(fitted), ' ');
  return fitted;
}

std::string shell_word(const std::string& text) {
  constexpr std::string_view plain
    = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
      "_-./:=,@%+";
  if (!text.empty() && text.find_first_not_of(plain) == text.npos)
    return text;
  // What a terminal or JSON cannot show is never changed, but escaped.
  if (neutral(text) != text)
    return escaped_word(text);
  std::string quoted = "'";
  for (const char c : text)
    quoted += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return quoted + '\'';
}

} // namespace convene::cli
