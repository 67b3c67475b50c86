#pragma once

#include <convene/protocol/base/hex.hpp>
#include <convene/protocol/base/uuid.hpp>

#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>

#include <bit>
#endif

namespace convene::protocol {

/// The text form of an id, written to 36 bytes at `at`; returns their end. For
/// those who write many: it goes to where it is needed without a copy.
inline char* write_uuid(char* at, const uuid& id) noexcept {
#ifdef __SSE2__
  const auto as_bytes = [](std::uint64_t word) {
    return std::bit_cast<long long>(__builtin_bswap64(word));
  };
  const auto bytes = _mm_set_epi64x(as_bytes(id.low), as_bytes(id.high));
  const auto low_four = _mm_set1_epi8(0x0f);
  const auto high = _mm_and_si128(_mm_srli_epi16(bytes, 4), low_four);
  const auto low = _mm_and_si128(bytes, low_four);
  const auto as_text = [](__m128i digits) {
    const auto letter = _mm_cmpgt_epi8(digits, _mm_set1_epi8(9));
    constexpr char gap = 'a' - '0' - 10;
    return _mm_add_epi8(_mm_add_epi8(digits, _mm_set1_epi8('0')),
                        _mm_and_si128(letter, _mm_set1_epi8(gap)));
  };
  const auto first = as_text(_mm_unpacklo_epi8(high, low));
  const auto second = as_text(_mm_unpackhi_epi8(high, low));
  const auto put_four = [](char* to, __m128i digits) {
    const int four = _mm_cvtsi128_si32(digits);
    std::memcpy(to, &four, sizeof four);
  };
  const auto put_eight = [](char* to, __m128i digits) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), digits);
  };
  put_eight(at, first);
  put_four(at + 9, _mm_srli_si128(first, 8));
  put_four(at + 14, _mm_srli_si128(first, 12));
  put_four(at + 19, second);
  put_four(at + 24, _mm_srli_si128(second, 4));
  put_eight(at + 28, _mm_srli_si128(second, 8));
#else
  auto* to = at;
  for (const auto word : {id.high, id.low})
    for (int shift = 60; shift >= 0; shift -= 4) {
      if (to == at + 8 || to == at + 13 || to == at + 18 || to == at + 23)
        ++to;
      *to++ = hex_digits[word >> shift & 15];
    }
#endif
  at[8] = at[13] = at[18] = at[23] = '-';
  return at + 36;
}

} // namespace convene::protocol
