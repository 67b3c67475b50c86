#include <convene/protocol/base/hex.hpp>
#include <convene/protocol/base/timestamp_text.hpp>
#include <convene/protocol/base/uuid_text.hpp>
#include <convene/protocol/json/json_writer.hpp>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace convene::protocol {
namespace {

char* escape(char* at, char c) noexcept {
  *at++ = '\\';
  switch (c) {
    case '"':
    case '\\':
      *at++ = c;
      return at;
    case '\n':
      *at++ = 'n';
      return at;
    case '\t':
      *at++ = 't';
      return at;
    case '\r':
      *at++ = 'r';
      return at;
    default:
      at[0] = 'u';
      at[1] = at[2] = '0';
      at[3] = hex_digits[(c >> 4) & 15];
      at[4] = hex_digits[c & 15];
      return at + 5;
  }
}

char* escape_all(char* at, const char* from, const char* end) noexcept {
  for (; from != end; ++from) {
    const char c = *from;
    if (static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\')
      at = escape(at, c);
    else
      *at++ = c;
  }
  return at;
}

template <class Word>
Word load(const char* at) noexcept {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

/// Sixteen bytes at once, as two words or, where there is one, as a vector.
class block {
public:
  static constexpr std::size_t size = 16;

#ifdef __SSE2__
  explicit block(const char* from) noexcept
    : bytes_(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))) {}

  /// Eight bytes from here and eight from there.
  block(const char* first, const char* second) noexcept
    : bytes_(_mm_unpacklo_epi64(
      _mm_loadl_epi64(reinterpret_cast<const __m128i*>(first)),
      _mm_loadl_epi64(reinterpret_cast<const __m128i*>(second)))) {}

  /// Eight bytes twice.
  explicit block(std::uint64_t eight) noexcept
    : bytes_(_mm_set1_epi64x(static_cast<long long>(eight))) {}

  void store(char* at) const noexcept {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(at), bytes_);
  }
  void store(char* first, char* second) const noexcept {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(first), bytes_);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(second),
                     _mm_unpackhi_epi64(bytes_, bytes_));
  }

  [[nodiscard]] bool needs_escape() const noexcept {
    return _mm_movemask_epi8(
             _mm_or_si128(control(bytes_), _mm_or_si128(is('"'), is('\\'))))
           != 0;
  }
  /// Whether one of three does.
  [[nodiscard]] static bool any_needs_escape(const block& a, const block& b,
                                             const block& c) noexcept {
    const auto lowest = _mm_min_epu8(a.bytes_,
                                     _mm_min_epu8(b.bytes_, c.bytes_));
    const auto any = [&](char what) {
      return _mm_or_si128(a.is(what), _mm_or_si128(b.is(what), c.is(what)));
    };
    return _mm_movemask_epi8(
             _mm_or_si128(control(lowest), _mm_or_si128(any('"'), any('\\'))))
           != 0;
  }

private:
  [[nodiscard]] __m128i is(char c) const noexcept {
    return _mm_cmpeq_epi8(bytes_, _mm_set1_epi8(c));
  }
  static __m128i control(__m128i bytes) noexcept {
    constexpr char last = 0x1f;
    return _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(last)), bytes);
  }

  __m128i bytes_;
#else
  explicit block(const char* from) noexcept
    : low_(load<std::uint64_t>(from)), high_(load<std::uint64_t>(from + 8)) {}

  block(const char* first, const char* second) noexcept
    : low_(load<std::uint64_t>(first)), high_(load<std::uint64_t>(second)) {}

  explicit block(std::uint64_t eight) noexcept : low_(eight), high_(eight) {}

  void store(char* at) const noexcept {
    store(at, at + 8);
  }
  void store(char* first, char* second) const noexcept {
    std::memcpy(first, &low_, 8);
    std::memcpy(second, &high_, 8);
  }

  [[nodiscard]] bool needs_escape() const noexcept {
    return any_special(low_) || any_special(high_);
  }
  [[nodiscard]] static bool any_needs_escape(const block& a, const block& b,
                                             const block& c) noexcept {
    return a.needs_escape() || b.needs_escape() || c.needs_escape();
  }

private:
  /// Whether one of eight bytes is below 0x20, a quote or a backslash. May say
  /// yes for bytes above 0x7f, never no for one that is.
  static bool any_special(std::uint64_t eight) noexcept {
    constexpr std::uint64_t ones = 0x0101010101010101ULL;
    constexpr std::uint64_t high = 0x8080808080808080ULL;
    const auto quote = eight ^ (ones * '"');
    const auto backslash = eight ^ (ones * '\\');
    return (((eight - ones * 0x20) | (quote - ones) | (backslash - ones)) & high
            & ~eight)
           != 0;
  }

  std::uint64_t low_, high_;
#endif
};

/// Copies a text in which nothing needs an escape and returns the end of the
/// copy; null: something does. Takes some bytes twice, where fewer are left
/// than fit.
char* copy_plain(char* at, const char* from, std::size_t size) noexcept {
  char* const end = at + size;
  const char* const from_end = from + size;
  constexpr std::size_t whole = block::size, half = whole / 2, quarter = 4;
  if (size >= whole) {
    for (; size > 3 * whole; size -= whole, at += whole, from += whole) {
      const block next{from};
      if (next.needs_escape())
        return nullptr;
      next.store(at);
    }
    const auto middle = (size - whole) / 2;
    const block first{from}, second{from + middle}, third{from_end - whole};
    if (block::any_needs_escape(first, second, third))
      return nullptr;
    first.store(at);
    second.store(at + middle);
    third.store(end - whole);
    return end;
  }
  if (size >= half) {
    const block both{from, from_end - half};
    if (both.needs_escape())
      return nullptr;
    both.store(at, end - half);
    return end;
  }
  if (size >= quarter) {
    const auto first = load<std::uint32_t>(from);
    const auto last = load<std::uint32_t>(from_end - quarter);
    if (block{std::uint64_t{first} << 32 | last}.needs_escape())
      return nullptr;
    std::memcpy(at, &first, quarter);
    std::memcpy(end - quarter, &last, quarter);
    return end;
  }
  return size == 0 ? end : nullptr;
}

/// Copies any text, and a quote behind it. There has to be room for a block
/// more.
[[gnu::noinline]] char* copy_escaped(char* at, const char* from,
                                     std::size_t size) noexcept {
  const char* const end = from + size;
  for (; size >= block::size; size -= block::size, from += block::size) {
    const block next{from};
    next.store(at);
    at = next.needs_escape() ? escape_all(at, from, from + block::size)
                             : at + block::size;
  }
  at = escape_all(at, from, end);
  *at = '"';
  return at + 1;
}

/// The digits of the numbers below 100, two each.
constexpr auto pairs = [] {
  std::array<char, 200> digits{};
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const auto number = i / 2;
    digits[i]
      = static_cast<char>('0' + (i % 2 == 0 ? number / 10 : number % 10));
  }
  return digits;
}();

char* write_below_100(char* at, unsigned value) noexcept {
  if (value < 10) {
    *at = static_cast<char>('0' + value);
    return at + 1;
  }
  std::memcpy(at, &pairs[std::size_t{value} * 2], 2);
  return at + 2;
}

/// A number below 10,000.
char* write_small(char* at, unsigned value) noexcept {
  if (value < 100)
    return write_below_100(at, value);
  at = write_below_100(at, value / 100);
  std::memcpy(at, &pairs[std::size_t{value % 100} * 2], 2);
  return at + 2;
}

} // namespace

char* json_writer::grow(byte_buffer& out, char* at, std::size_t bytes) {
  out.commit(at);
  return out.reserve(bytes);
}

char* json_writer::write_string(char* at, std::string_view text) noexcept {
  *at++ = '"';
  char* const end = copy_plain(at, text.data(), text.size());
  if (end == nullptr) [[unlikely]]
    return copy_escaped(at, text.data(), text.size());
  *end = '"';
  return end + 1;
}

char* json_writer::write_number(char* at, std::int64_t value) noexcept {
  // Turns are counted and milliseconds measured: few have more digits.
  if (value >= 0 && value < 10'000)
    return write_small(at, static_cast<unsigned>(value));
  return std::to_chars(at, at + number_room, value).ptr;
}

char* json_writer::write_id(char* at, uuid value) noexcept {
  *at = '"';
  at = write_uuid(at + 1, value);
  *at = '"';
  return at + 1;
}

char* json_writer::write_time(char* at, timestamp_ms value) noexcept {
  *at = '"';
  at = write_timestamp(at + 1, value);
  *at = '"';
  return at + 1;
}

} // namespace convene::protocol
