#include <convene/protocol/base/ascii.hpp>
#include <convene/protocol/json/mend_json.hpp>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <system_error>

namespace convene::protocol {
namespace {

/// The code unit of an escape `\uXXXX` at the beginning of `text`.
std::optional<unsigned> escaped_unit(std::string_view text) {
  if (!text.starts_with("\\u") || text.size() < 6)
    return std::nullopt;
  unsigned unit = 0;
  const auto* const end = text.data() + 6;
  const auto [at, fault] = std::from_chars(text.data() + 2, end, unit, 16);
  return at == end && fault == std::errc{} ? std::optional{unit} : std::nullopt;
}

bool is_high_half(unsigned unit) {
  return unit >= 0xd800 && unit < 0xdc00;
}

bool is_low_half(unsigned unit) {
  return unit >= 0xdc00 && unit < 0xe000;
}

/// Mends the escape at the beginning of `text`; returns its length.
std::size_t mend_escape(std::string_view text, std::string& to) {
  const auto unit = escaped_unit(text);
  if (!unit || (!is_high_half(*unit) && !is_low_half(*unit))) {
    const auto whole = text.substr(0, 2);
    to += whole;
    return whole.size();
  }
  const auto next = is_high_half(*unit) ? escaped_unit(text.substr(6))
                                        : std::nullopt;
  if (next && is_low_half(*next)) {
    to += text.substr(0, 12);
    return 12;
  }
  to += "\\ufffd";
  return 6;
}

/// Mends the string at the beginning of `text`; returns its length.
std::size_t mend_string(std::string_view text, std::string& to) {
  constexpr std::string_view digits = "0123456789abcdef";
  to += '"';
  for (std::size_t at = 1; at < text.size();) {
    const char c = text[at];
    if (c == '\\') {
      at += mend_escape(text.substr(at), to);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20)
      to.append("\\u00").append({digits[byte >> 4U], digits[byte & 15U]});
    else
      to += c;
    ++at;
    if (c == '"')
      return at;
  }
  return text.size();
}

bool is_in_word(char c) {
  return is_alnum(c) || c == '-' || c == '+' || c == '.';
}

template <class Number>
bool is_whole(std::string_view word, Number& made) {
  const auto* const end = word.data() + word.size();
  const auto [at, fault] = std::from_chars(word.data(), end, made);
  return at == end && fault == std::errc{};
}

/// What a word outside of strings becomes.
std::string mended_word(std::string_view word) {
  std::int64_t fits = 0;
  std::uint64_t fits_unsigned = 0;
  if (is_whole(word, fits) || is_whole(word, fits_unsigned))
    return std::string{word};
  double number = 0;
  const auto* const end = word.data() + word.size();
  // A plus before NaN or Infinity is none of JSON's either.
  const auto* const begin = word.data() + (word.starts_with('+') ? 1 : 0);
  const auto [at, fault] = std::from_chars(begin, end, number);
  if (at != end)
    return std::string{word};
  const bool is_tiny = word.find("e-") != word.npos
                       || word.find("E-") != word.npos;
  if (fault == std::errc::result_out_of_range)
    return is_tiny ? std::string{word} : "null";
  if (fault != std::errc{})
    return std::string{word};
  if (!std::isfinite(number))
    return "null";
  const bool is_integer = word.find_first_of(".eE") == word.npos;
  return std::string{word} + (is_integer ? "e0" : "");
}

} // namespace

std::string mend_json(std::string_view text) {
  const auto clean = sanitize_utf8(std::string{text});
  std::string made;
  made.reserve(clean.size() + 16);
  for (std::string_view rest = clean; !rest.empty();) {
    std::size_t taken = 1;
    if (rest.front() == '"') {
      taken = mend_string(rest, made);
    } else if (is_in_word(rest.front())) {
      while (taken < rest.size() && is_in_word(rest[taken]))
        ++taken;
      made += mended_word(rest.substr(0, taken));
    } else {
      made += rest.front();
    }
    rest.remove_prefix(taken);
  }
  return made;
}

result<json::value> parse_mended_json(std::string_view text,
                                      const json_limits& limits) {
  auto made = parse_json(text, limits);
  if (made || text.size() > limits.bytes)
    return made;
  return parse_json(mend_json(text), limits);
}

} // namespace convene::protocol
