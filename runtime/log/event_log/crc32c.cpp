#include <convene/runtime/log/event_log/crc32c.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#ifdef __x86_64__
#include <nmmintrin.h>
#endif

namespace convene::host {
namespace {

/// `slice_tables[k][b]` is the crc of byte b with k zero bytes behind it.
using slice_tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr slice_tables make_tables() {
  constexpr std::uint32_t polynomial = 0x82f63b78; // reflected
  slice_tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    auto crc = byte;
    for (int bit = 0; bit < 8; ++bit)
      crc = crc >> 1 ^ ((crc & 1) != 0 ? polynomial : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t byte = 0; byte < 256; ++byte)
    for (std::size_t k = 1; k < 8; ++k) {
      const auto crc = tables[k - 1][byte];
      tables[k][byte] = crc >> 8 ^ tables[0][crc & 0xff];
    }
  return tables;
}

constexpr slice_tables tables = make_tables();

/// The eight bytes at `at` as a little-endian number.
std::uint64_t load(const char* at) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  if constexpr (std::endian::native == std::endian::big)
    word = __builtin_bswap64(word);
  return word;
}

#ifdef __x86_64__
/// The instruction waits for its own result, but three can be under way: long
/// texts are taken in three lanes at once, each of so many bytes.
constexpr std::size_t lane_bytes = 1024;

/// `lane_tables[k][b]` is what byte k of a crc, which is b, becomes behind a
/// lane of zero bytes; a crc becomes the sum of its four.
using lane_table = std::array<std::array<std::uint32_t, 256>, 4>;

constexpr lane_table make_lane_tables() {
  lane_table made{};
  for (std::size_t k = 0; k < made.size(); ++k)
    for (std::uint32_t bit = 0; bit < 8; ++bit) {
      std::uint32_t crc = 1U << (8 * k + bit);
      for (std::size_t i = 0; i < lane_bytes; ++i)
        crc = crc >> 8 ^ tables[0][crc & 0xff];
      for (std::uint32_t byte = 0; byte < 256; ++byte)
        if ((byte >> bit & 1) != 0)
          made[k][byte] ^= crc;
    }
  return made;
}

constexpr lane_table lane_tables = make_lane_tables();

std::uint64_t behind_lane(std::uint64_t crc) noexcept {
  return lane_tables[0][crc & 0xff] ^ lane_tables[1][crc >> 8 & 0xff]
         ^ lane_tables[2][crc >> 16 & 0xff] ^ lane_tables[3][crc >> 24 & 0xff];
}

__attribute__((target("sse4.2"))) std::uint32_t
by_instruction(std::string_view bytes, std::uint32_t before) noexcept {
  std::uint64_t crc = ~before;
  std::size_t at = 0;
  for (; at + 3 * lane_bytes <= bytes.size(); at += 3 * lane_bytes) {
    const auto* lane = bytes.data() + at;
    std::uint64_t second = 0;
    std::uint64_t third = 0;
    for (std::size_t i = 0; i < lane_bytes; i += 8) {
      crc = _mm_crc32_u64(crc, load(lane + i));
      second = _mm_crc32_u64(second, load(lane + lane_bytes + i));
      third = _mm_crc32_u64(third, load(lane + 2 * lane_bytes + i));
    }
    crc = behind_lane(behind_lane(crc) ^ second) ^ third;
  }
  for (; at + 8 <= bytes.size(); at += 8)
    crc = _mm_crc32_u64(crc, load(bytes.data() + at));
  auto rest = static_cast<std::uint32_t>(crc);
  for (; at < bytes.size(); ++at)
    rest = _mm_crc32_u8(rest, static_cast<unsigned char>(bytes[at]));
  return ~rest;
}
#endif

} // namespace

std::uint32_t crc32c_by_tables(std::string_view bytes,
                               std::uint32_t before) noexcept {
  auto crc = ~before;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    const auto word = load(bytes.data() + at) ^ crc;
    crc = 0;
    for (unsigned k = 0; k < 8; ++k)
      crc ^= tables[7 - k][word >> (8 * k) & 0xff];
  }
  for (; at < bytes.size(); ++at)
    crc = crc >> 8
          ^ tables[0][(crc ^ static_cast<unsigned char>(bytes[at])) & 0xff];
  return ~crc;
}

bool has_crc32c_instruction() noexcept {
#ifdef __x86_64__
  static const bool has = __builtin_cpu_supports("sse4.2") != 0;
  return has;
#else
  return false;
#endif
}

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) noexcept {
#ifdef __x86_64__
  if (has_crc32c_instruction())
    return by_instruction(bytes, before);
#endif
  return crc32c_by_tables(bytes, before);
}

} // namespace convene::host
