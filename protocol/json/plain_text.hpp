#pragma once

#include <bit>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace convene::protocol {

/// Whether a byte stands for itself in a JSON string.
[[nodiscard]] constexpr bool is_plain_byte(char c) noexcept {
  return c != '"' && c != '\\' && static_cast<unsigned char>(c) >= ' ';
}

/// The first byte from `at` on that is not plain, or `end`. Sets `wide` if it
/// passes one beyond ASCII.
[[nodiscard, gnu::always_inline]] inline const char*
skip_plain(const char* at, const char* end, bool& wide) noexcept {
#ifdef __SSE2__
  constexpr int block = 16;
  for (; end - at >= block; at += block) {
    const auto bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const auto places = [&bytes](char c) {
      return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c));
    };
    // Signed: what is beyond ASCII counts as lower than a space, too.
    const auto low = _mm_cmplt_epi8(bytes, _mm_set1_epi8(' '));
    const auto found = static_cast<unsigned>(_mm_movemask_epi8(
      _mm_or_si128(low, _mm_or_si128(places('"'), places('\\')))));
    if (found == 0)
      continue;
    at += std::countr_zero(found);
    break;
  }
#endif
  for (; at != end && is_plain_byte(*at); ++at)
    wide = wide || static_cast<unsigned char>(*at) >= 0x80;
  return at;
}

} // namespace convene::protocol
