#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/base/uuid_text.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <random>

namespace convene::protocol {
namespace {

/// The finaliser of SplitMix64: every input bit changes half of the output.
constexpr std::uint64_t mix(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// What a character stands for as a hexadecimal digit; 0xff: nothing.
constexpr auto digit_values = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(0xff);
  for (unsigned i = 0; i < 10; ++i)
    values['0' + i] = static_cast<std::uint8_t>(i);
  for (unsigned i = 0; i < 6; ++i)
    values['a' + i] = values['A' + i] = static_cast<std::uint8_t>(10 + i);
  return values;
}();

/// The number that `digits` hexadecimal digits at `at` are. `wrong` gets bits
/// above the lower four if one of them is none.
std::uint64_t read_hex(const char* at, int digits, unsigned& wrong) noexcept {
  std::uint64_t number = 0;
  for (int i = 0; i < digits; ++i) {
    const auto value = digit_values[static_cast<unsigned char>(at[i])];
    wrong |= value;
    number = number << 4 | (value & 0xfU);
  }
  return number;
}

} // namespace

std::array<char, 36> to_chars(const uuid& id) noexcept {
  std::array<char, 36> text;
  write_uuid(text.data(), id);
  return text;
}

std::string to_string(const uuid& id) {
  const auto text = to_chars(id);
  return {text.begin(), text.end()};
}

namespace {

/// The top bit of each byte that is none of 0 to 9 and a to f. Eight bytes at
/// once; each is below 0x80 before anything is added, so that none reaches
/// into its neighbour.
constexpr std::uint64_t not_lower_hex(std::uint64_t text) noexcept {
  constexpr std::uint64_t each = 0x0101010101010101ULL;
  constexpr std::uint64_t top = each * 0x80;
  const auto low = text & ~top;
  const auto at_least = [low](char c) {
    return low + each * static_cast<std::uint64_t>(0x80 - c);
  };
  const auto digit = at_least('0') & ~at_least('9' + 1);
  const auto letter = at_least('a') & ~at_least('f' + 1);
  return (~(digit | letter) | text) & top;
}

} // namespace

std::optional<uuid> parse_uuid(std::string_view text) noexcept {
  if (text.size() != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-'
      || text[23] != '-')
    return std::nullopt;
  const auto* at = text.data();
  unsigned wrong = 0;
  uuid id;
  id.high = read_hex(at, 8, wrong) << 32 | read_hex(at + 9, 4, wrong) << 16
            | read_hex(at + 14, 4, wrong);
  id.low = read_hex(at + 19, 4, wrong) << 48 | read_hex(at + 24, 12, wrong);
  return wrong <= 0xf ? std::optional{id} : std::nullopt;
}

bool is_uuid_v4(std::string_view text) noexcept {
  if (text.size() != 36)
    return false;
  const auto eight = [at = text.data()](std::size_t from) {
    std::uint64_t word = 0;
    std::memcpy(&word, at + from, sizeof word);
    return word;
  };
  // The groups in the middle, with the dashes before them taken for zeros.
  const auto dashes = [&](std::size_t from, std::size_t first,
                          std::size_t second) {
    std::array<char, 8> bytes;
    std::memcpy(bytes.data(), text.data() + from, bytes.size());
    bytes[first] = bytes[second] = '0';
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    return word;
  };
  const auto wrong = not_lower_hex(eight(0)) | not_lower_hex(dashes(8, 0, 5))
                     | not_lower_hex(dashes(16, 2, 7))
                     | not_lower_hex(eight(24)) | not_lower_hex(eight(28));
  const char variant = text[19];
  return wrong == 0 && text[8] == '-' && text[13] == '-' && text[18] == '-'
         && text[23] == '-' && text[14] == '4'
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
