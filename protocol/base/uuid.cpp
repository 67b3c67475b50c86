#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/base/uuid_text.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <random>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

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
  constexpr std::size_t size = 36;
  if (text.size() != size)
    return false;
#ifdef __SSE2__
  // A bit for each of sixteen bytes that is a digit of ours.
  const auto digits = [at = text.data()](std::size_t from) {
    const auto bytes
      = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + from));
    const auto within = [bytes](char first, char count) {
      const auto above = _mm_sub_epi8(bytes, _mm_set1_epi8(first));
      return _mm_cmpeq_epi8(
        _mm_min_epu8(above, _mm_set1_epi8(static_cast<char>(count - 1))),
        above);
    };
    return _mm_movemask_epi8(_mm_or_si128(within('0', 10), within('a', 6)));
  };
  constexpr int all = 0xffff;
  const bool are_digits = digits(0) == (all & ~(1 << 8 | 1 << 13))
                          && digits(16) == (all & ~(1 << 2 | 1 << 7))
                          && digits(20) == (all & ~(1 << 3));
#else
  bool are_digits = true;
  for (std::size_t i = 0; i < size; ++i) {
    const char c = text[i];
    are_digits = are_digits
                 && (i == 8 || i == 13 || i == 18 || i == 23
                     || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
  }
#endif
  const char variant = text[19];
  return are_digits && text[8] == '-' && text[13] == '-' && text[18] == '-'
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
