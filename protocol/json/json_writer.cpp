#include <convene/protocol/json/json_writer.hpp>

#include <algorithm>
#include <charconv>

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

} // namespace

void json_writer::more(std::size_t bytes) {
  constexpr std::size_t spare = 512;
  if (at_ != nullptr)
    out_.commit(at_);
  at_ = out_.reserve(bytes + spare);
  end_ = at_ + bytes + spare;
}

json_writer& json_writer::string(std::string_view text) {
  room(text.size() * 6 + 2);
  char* at = at_;
  *at++ = '"';
  const char* from = text.data();
  const char* const end = from + text.size();
  for (; end - from >= 8; from += 8) {
    const auto eight = load<std::uint64_t>(from);
    std::memcpy(at, &eight, 8);
    at = needs_escape(eight) ? escape_all(at, from, from + 8) : at + 8;
  }
  // What is left is shorter than a word: take some bytes twice. Nothing that
  // needs no escape changes when it is written again.
  const auto rest = end - from;
  if (rest != 0 && text.size() >= 8
      && !needs_escape(load<std::uint64_t>(end - 8)))
    std::memcpy((at += rest) - 8, end - 8, 8);
  else if (rest >= 4 && text.size() < 8
           && !needs_escape(std::uint64_t{load<std::uint32_t>(from)} << 32
                            | load<std::uint32_t>(end - 4))) {
    std::memcpy(at, from, 4);
    std::memcpy((at += rest) - 4, end - 4, 4);
  } else
    at = escape_all(at, from, end);
  *at++ = '"';
  at_ = at;
  return *this;
}

json_writer& json_writer::number(std::int64_t value) {
  room(20);
  at_ = std::to_chars(at_, at_ + 20, value).ptr;
  return *this;
}

json_writer& json_writer::id(const uuid& value) {
  room(38);
  const auto text = to_chars(value);
  *at_++ = '"';
  at_ = std::copy(text.begin(), text.end(), at_);
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
