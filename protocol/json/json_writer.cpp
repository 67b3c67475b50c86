#include <convene/protocol/base/uuid_text.hpp>
#include <convene/protocol/json/json_writer.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace convene::protocol {
namespace {

/// Whether one of eight bytes needs an escape: below 0x20, a quote or a
/// backslash. May say yes for bytes above 0x7f, never no for one that does.
bool needs_escape(std::uint64_t eight) noexcept {
  constexpr std::uint64_t ones = 0x0101010101010101ULL;
  constexpr std::uint64_t high = 0x8080808080808080ULL;
  const auto quote = eight ^ (ones * '"');
  const auto backslash = eight ^ (ones * '\\');
  return (((eight - ones * 0x20) | (quote - ones) | (backslash - ones)) & high
          & ~eight)
         != 0;
}

char* escape(char* at, char c) noexcept {
  constexpr char digits[] = "0123456789abcdef";
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
      std::memcpy(at, "u00", 3);
      at[3] = digits[(c >> 4) & 15];
      at[4] = digits[c & 15];
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
  static constexpr std::ptrdiff_t size = 16;

#ifdef __SSE2__
  explicit block(const char* from) noexcept
    : bytes_(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))) {}

  /// Eight bytes from here and eight from there.
  block(const char* first, const char* second) noexcept
    : bytes_(_mm_unpacklo_epi64(
      _mm_loadl_epi64(reinterpret_cast<const __m128i*>(first)),
      _mm_loadl_epi64(reinterpret_cast<const __m128i*>(second)))) {}

  void store(char* at) const noexcept {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(at), bytes_);
  }
  void store(char* first, char* second) const noexcept {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(first), bytes_);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(second),
                     _mm_unpackhi_epi64(bytes_, bytes_));
  }

  [[nodiscard]] bool needs_escape() const noexcept {
    return _mm_movemask_epi8(special()) != 0;
  }
  /// Whether one of two does.
  [[nodiscard]] static bool any_needs_escape(const block& a,
                                             const block& b) noexcept {
    return _mm_movemask_epi8(_mm_or_si128(a.special(), b.special())) != 0;
  }

private:
  [[nodiscard]] __m128i special() const noexcept {
    const auto is = [this](char c) {
      return _mm_cmpeq_epi8(bytes_, _mm_set1_epi8(c));
    };
    constexpr char last_control = 0x1f;
    const auto control = _mm_cmpeq_epi8(
      _mm_min_epu8(bytes_, _mm_set1_epi8(last_control)), bytes_);
    return _mm_or_si128(control, _mm_or_si128(is('"'), is('\\')));
  }

  __m128i bytes_;
#else
  explicit block(const char* from) noexcept
    : low_(load<std::uint64_t>(from)), high_(load<std::uint64_t>(from + 8)) {}

  block(const char* first, const char* second) noexcept
    : low_(load<std::uint64_t>(first)), high_(load<std::uint64_t>(second)) {}

  void store(char* at) const noexcept {
    store(at, at + 8);
  }
  void store(char* first, char* second) const noexcept {
    std::memcpy(first, &low_, 8);
    std::memcpy(second, &high_, 8);
  }

  [[nodiscard]] bool needs_escape() const noexcept {
    return protocol::needs_escape(low_) || protocol::needs_escape(high_);
  }
  [[nodiscard]] static bool any_needs_escape(const block& a,
                                             const block& b) noexcept {
    return a.needs_escape() || b.needs_escape();
  }

private:
  std::uint64_t low_, high_;
#endif
};

/// Copies a text in which nothing needs an escape and returns the end of the
/// copy; null: something does. Takes some bytes twice, where fewer are left
/// than fit.
char* copy_plain(char* at, const char* from, std::size_t size) noexcept {
  char* const end = at + size;
  const char* const from_end = from + size;
  if (size >= std::size_t{block::size}) {
    const block last{from_end - block::size};
    for (; end - at > 2 * block::size;
         at += 2 * block::size, from += 2 * block::size) {
      const block first{from};
      const block second{from + block::size};
      if (block::any_needs_escape(first, second))
        return nullptr;
      first.store(at);
      second.store(at + block::size);
    }
    if (end - at > block::size) {
      const block next{from};
      if (block::any_needs_escape(next, last))
        return nullptr;
      next.store(at);
    } else if (last.needs_escape()) {
      return nullptr;
    }
    last.store(end - block::size);
    return end;
  }
  if (size >= 8) {
    const block whole{from, from_end - 8};
    if (whole.needs_escape())
      return nullptr;
    whole.store(at, end - 8);
    return end;
  }
  if (size >= 4) {
    const auto first = load<std::uint32_t>(from);
    const auto last = load<std::uint32_t>(from_end - 4);
    if (needs_escape(std::uint64_t{first} << 32 | last))
      return nullptr;
    std::memcpy(at, &first, 4);
    std::memcpy(end - 4, &last, 4);
    return end;
  }
  return size == 0 ? end : nullptr;
}

/// Copies any text. There has to be room for a block more.
[[gnu::noinline]] char* copy_escaped(char* at, const char* from,
                                     std::size_t size) noexcept {
  const char* const end = from + size;
  for (; end - from >= block::size; from += block::size) {
    const block next{from};
    next.store(at);
    at = next.needs_escape() ? escape_all(at, from, from + block::size)
                             : at + block::size;
  }
  return escape_all(at, from, end);
}

} // namespace

void json_writer::more(std::size_t bytes) {
  constexpr std::size_t spare = 512;
  if (at_ != nullptr)
    out_.commit(at_);
  at_ = out_.reserve(bytes + spare);
  end_ = at_ + bytes + spare;
}

json_writer& json_writer::string(std::string_view text) {
  room(text.size() * 6 + 2 + block::size);
  char* end = copy_plain(at_ + 1, text.data(), text.size());
  if (end == nullptr)
    end = copy_escaped(at_ + 1, text.data(), text.size());
  *at_ = '"';
  *end = '"';
  at_ = end + 1;
  return *this;
}

json_writer& json_writer::number(std::int64_t value) {
  room(20);
  at_ = std::to_chars(at_, at_ + 20, value).ptr;
  return *this;
}

json_writer& json_writer::id(const uuid& value) {
  room(38);
  *at_ = '"';
  at_ = write_uuid(at_ + 1, value);
  *at_++ = '"';
  return *this;
}

json_writer& json_writer::time(timestamp_ms value) {
  room(26);
  const auto text = to_chars(value);
  *at_++ = '"';
  at_ = std::copy(text.begin(), text.end(), at_);
  *at_++ = '"';
  return *this;
}

} // namespace convene::protocol
