#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <simdjson.h>

#include <cstdint>
#include <cstring>

namespace convene::protocol {
namespace {

/// simdjson chooses its implementation, an object with a destructor, when it is
/// first used. Done before the application has objects, it is destroyed after
/// them: their destructors may still end sessions.
[[gnu::constructor(101)]] void choose_implementation() {
  [[maybe_unused]] const bool valid = simdjson::validate_utf8("", 0);
}

/// The first character of a text, or as much of it as is there.
struct unit {
  std::size_t bytes;
  bool valid;
};

/// Table 3-7 of the Unicode Standard; an invalid unit is its longest part that
/// could have begun a character.
unit first_unit(std::string_view text) noexcept {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80)
    return {1, true};
  if (lead < 0xc2 || lead > 0xf4)
    return {1, false};
  const std::size_t bytes = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  for (std::size_t i = 1; i < bytes; ++i) {
    if (i == text.size())
      return {i, false};
    const auto next = static_cast<unsigned char>(text[i]);
    if (next < low || next > high)
      return {i, false};
    low = 0x80;
    high = 0xbf;
  }
  return {bytes, true};
}

/// Whether a text is ASCII, and so short that simdjson would take longer to say
/// so.
bool is_short_ascii(std::string_view text) noexcept {
  constexpr std::uint64_t high_bits = 0x8080808080808080;
  std::uint64_t seen = 0;
  if (text.size() < sizeof seen) {
    for (const char c : text)
      seen |= static_cast<unsigned char>(c);
    return (seen & high_bits) == 0;
  }
  if (text.size() > 8 * sizeof seen)
    return false;
  const auto look_at = [&](const char* from) {
    std::uint64_t eight;
    std::memcpy(&eight, from, sizeof eight);
    seen |= eight;
  };
  // The last eight overlap those before.
  const char* const last = text.data() + text.size() - sizeof seen;
  for (const char* at = text.data(); at < last; at += sizeof seen)
    look_at(at);
  look_at(last);
  return (seen & high_bits) == 0;
}

} // namespace

bool valid_utf8(std::string_view text) noexcept {
  return is_short_ascii(text)
         || simdjson::validate_utf8(text.data(), text.size());
}

std::size_t find_invalid_utf8(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    const auto [bytes, valid] = first_unit(text.substr(at));
    if (!valid)
      return at;
    at += bytes;
  }
  return std::string_view::npos;
}

std::string sanitize_utf8(std::string text) {
  if (valid_utf8(text))
    return text;
  std::string clean;
  clean.reserve(text.size() + 16);
  for (std::string_view rest = text; !rest.empty();) {
    const auto [bytes, valid] = first_unit(rest);
    clean += valid ? rest.substr(0, bytes) : "\xef\xbf\xbd";
    rest.remove_prefix(bytes);
  }
  return clean;
}

std::string sanitize_beginning(std::string_view text, std::size_t bytes) {
  // Repaired text is never shorter, so the last byte kept comes from before the
  // place where the text is cut here, and so does the one behind it.
  constexpr std::size_t character_bytes_max = 4;
  auto clean
    = sanitize_utf8(std::string{text.substr(0, bytes + character_bytes_max)});
  clean.resize(cut_utf8(clean, bytes).size());
  return clean;
}

} // namespace convene::protocol
