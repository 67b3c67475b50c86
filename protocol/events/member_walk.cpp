#include <convene/protocol/events/member_walk.hpp>

#include <bit>
#include <cstddef>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace convene::protocol {
namespace {

/// As `size_of_string`, but slower: for strings with escapes, too.
std::size_t size_of_any_string(std::string_view text) noexcept {
  for (auto end = text.find('"', 1); end != text.npos;
       end = text.find('"', end + 1)) {
    auto escapes = end;
    while (text[escapes - 1] == '\\')
      --escapes;
    if ((end - escapes) % 2 == 0)
      return end + 1;
  }
  return 0;
}

/// The size of the string that `text` begins with, quotes included. Zero: it
/// does not begin with one, or it does not end. Names and ids are short: a call
/// to search each takes longer than the search.
[[gnu::always_inline]] inline std::size_t
size_of_string(std::string_view text) noexcept {
  if (!text.starts_with('"'))
    return 0;
#ifdef __SSE2__
  constexpr std::size_t block = 16;
  for (std::size_t at = 1; at + block <= text.size(); at += block) {
    const auto bytes
      = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    const auto places = [&bytes](char c) {
      return static_cast<unsigned>(
        _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c))));
    };
    const auto quotes = places('"');
    const auto found = quotes | places('\\');
    if (found == 0)
      continue;
    if ((quotes & found & (~found + 1)) == 0)
      break; // an escape is first
    return at + static_cast<std::size_t>(std::countr_zero(quotes)) + 1;
  }
#endif
  return size_of_any_string(text);
}

/// Likewise of the object or array that it begins with.
std::size_t size_of_container(std::string_view text) noexcept {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at)
    switch (text[at]) {
      case '"': {
        const auto size = size_of_string(text.substr(at));
        if (size == 0)
          return 0;
        at += size - 1;
        break;
      }
      case '{':
      case '[':
        ++depth;
        break;
      case '}':
      case ']':
        if (--depth == 0)
          return at + 1;
        break;
      default:
        break;
    }
  return 0;
}

/// Likewise of the string, number or word.
std::size_t size_of_scalar(std::string_view text) noexcept {
  if (text.starts_with('"'))
    return size_of_string(text);
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == ',' || c == '}' || c == ' ' || c == '\t' || c == '\r' || c == '\n')
      return at;
  }
  return 0;
}

bool is_container(std::string_view value) noexcept {
  return value.starts_with('{') || value.starts_with('[');
}

} // namespace

bool member_walk::next() noexcept {
  if (is_container(value_) && !is_passed_)
    pass(size_of_container(value_));
  value_ = {};
  is_passed_ = false;
  if (!rest_.starts_with(has_begun_ ? ',' : '{'))
    return false;
  has_begun_ = true;
  rest_.remove_prefix(1);
  const auto name_size = size_of_string(rest_);
  if (name_size == 0 || rest_.size() == name_size || rest_[name_size] != ':')
    return false;
  name_ = {rest_.data() + 1, name_size - 2};
  rest_.remove_prefix(name_size + 1);
  value_ = rest_;
  if (is_container(rest_))
    return true;
  const auto size = size_of_scalar(rest_);
  if (size == 0) {
    rest_ = {};
    return false;
  }
  value_ = {rest_.data(), size};
  rest_.remove_prefix(size);
  return true;
}

void member_walk::pass(std::size_t bytes) noexcept {
  rest_ = bytes == 0 ? std::string_view{} : value_.substr(bytes);
  value_ = value_.substr(0, bytes);
  is_passed_ = true;
}

std::string_view member_walk::whole() noexcept {
  if (is_container(value_) && !is_passed_)
    pass(size_of_container(value_));
  return value_;
}

void member_walk::pass(const member_walk& inside) noexcept {
  pass(inside.has_ended() ? value_.size() - inside.rest_.size() + 1 : 0);
}

std::optional<std::string_view> member_walk::text() const noexcept {
  if (!value_.starts_with('"') || value_.find('\\') != value_.npos)
    return std::nullopt;
  return value_.substr(1, value_.size() - 2);
}

} // namespace convene::protocol
