#include <convene/protocol/base/hex.hpp>

#include <charconv>

namespace convene::protocol {

std::string hex_of(std::span<const std::uint8_t> bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const auto each : bytes) {
    text += hex_digits[each >> 4U];
    text += hex_digits[each & 15U];
  }
  return text;
}

std::string hex_of(std::uint64_t number, std::size_t digits) {
  std::string text(digits, '0');
  for (auto at = text.rbegin(); at != text.rend(); ++at, number >>= 4U)
    *at = hex_digits[number & 15U];
  return text;
}

bool is_lower_hex(std::string_view text, std::size_t digits) noexcept {
  return text.size() == digits
         && text.find_first_not_of(hex_digits) == text.npos;
}

std::optional<std::uint64_t> parse_hex(std::string_view text) noexcept {
  constexpr std::size_t digits_max = 16;
  std::uint64_t number = 0;
  const auto* const end = text.data() + text.size();
  // For an unsigned number from_chars takes neither a sign nor a prefix.
  if (text.empty() || text.size() > digits_max
      || std::from_chars(text.data(), end, number, 16).ptr != end)
    return std::nullopt;
  return number;
}

} // namespace convene::protocol
