#include <convene/runtime/event_log/crc32c.hpp>

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
__attribute__((target("sse4.2"))) std::uint32_t
by_instruction(std::string_view bytes, std::uint32_t before) noexcept {
  std::uint64_t crc = ~before;
  std::size_t at = 0;
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
