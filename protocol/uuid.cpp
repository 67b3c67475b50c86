#include <convene/protocol/uuid.hpp>

#include <random>

namespace convene::protocol {
namespace {

/// The finaliser of SplitMix64: every input bit changes half of the output.
constexpr std::uint64_t mix(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// Two hexadecimal digits for each byte.
struct hex_pairs {
  char text[256][2];
};

constexpr hex_pairs make_hex_pairs() {
  constexpr char digits[] = "0123456789abcdef";
  hex_pairs table{};
  for (int i = 0; i < 256; ++i) {
    table.text[i][0] = digits[i >> 4];
    table.text[i][1] = digits[i & 15];
  }
  return table;
}

constexpr hex_pairs hex = make_hex_pairs();

constexpr bool is_dash_position(std::size_t i) {
  return i == 8 || i == 13 || i == 18 || i == 23;
}

constexpr int digit_value(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

} // namespace

std::array<char, 36> to_chars(const uuid& id) noexcept {
  std::array<char, 36> text{};
  std::size_t at = 0;
  for (int byte = 0; byte < 16; ++byte) {
    if (is_dash_position(at))
      text[at++] = '-';
    const auto half = byte < 8 ? id.high : id.low;
    const auto value = (half >> (56 - 8 * (byte & 7))) & 0xff;
    text[at++] = hex.text[value][0];
    text[at++] = hex.text[value][1];
  }
  return text;
}

std::string to_string(const uuid& id) {
  const auto text = to_chars(id);
  return {text.begin(), text.end()};
}

std::optional<uuid> parse_uuid(std::string_view text) noexcept {
  if (text.size() != 36)
    return std::nullopt;
  uuid id;
  int digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_dash_position(i)) {
      if (text[i] != '-')
        return std::nullopt;
      continue;
    }
    const int value = digit_value(text[i]);
    if (value < 0)
      return std::nullopt;
    auto& half = digits++ < 16 ? id.high : id.low;
    half = half << 4 | static_cast<std::uint64_t>(value);
  }
  return id;
}

bool is_uuid_v4(std::string_view text) noexcept {
  if (!parse_uuid(text))
    return false;
  for (char c : text)
    if (c >= 'A' && c <= 'F')
      return false;
  const char variant = text[19];
  return text[14] == '4'
         && (variant == '8' || variant == '9' || variant == 'a'
             || variant == 'b');
}

uuid derive_uuid(const uuid& key, std::uint64_t space,
                 std::uint64_t number) noexcept {
  const auto salt = mix(number + (space + 1) * 0x9e3779b97f4a7c15ULL);
  return as_v4({mix(key.high ^ salt), mix(key.low + salt)});
}

uuid_source::uuid_source(std::uint64_t seed) noexcept
  : key_{mix(seed + 0x9e3779b97f4a7c15ULL), mix(~seed)} {
  // nop
}

uuid_source uuid_source::from_entropy() {
  std::random_device device;
  auto word = [&] { return std::uint64_t{device()} << 32 | device(); };
  uuid_source source{0};
  source.key_ = {word(), word()};
  return source;
}

uuid uuid_source::next() noexcept {
  return derive_uuid(key_, 0, count_++);
}

} // namespace convene::protocol
