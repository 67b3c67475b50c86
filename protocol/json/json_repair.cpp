#include <convene/protocol/base/ascii.hpp>
#include <convene/protocol/json/json_repair.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

namespace convene::protocol {
namespace {

/// The number of an escape \uXXXX at the beginning of a text.
std::optional<std::uint32_t> escaped_unit(std::string_view text) {
  constexpr std::size_t bytes = 6;
  if (text.size() < bytes || !text.starts_with("\\u")
      || !std::ranges::all_of(text.substr(2, 4), is_hex))
    return std::nullopt;
  std::uint32_t number = 0;
  std::from_chars(text.data() + 2, text.data() + bytes, number, 16);
  return number;
}

bool is_high_half(std::uint32_t unit) {
  return unit >= 0xd800 && unit <= 0xdbff;
}

bool is_low_half(std::uint32_t unit) {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

bool is_in_word(char c) {
  return is_alnum(c) || c == '-' || c == '+' || c == '.';
}

/// The number or word that a text begins with; empty: it begins otherwise.
std::string_view word_in(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, is_in_word);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

template <class Number>
std::errc fault_as(std::string_view word, Number& made) {
  const auto* const end = word.data() + word.size();
  const auto [at, fault] = std::from_chars(word.data(), end, made);
  return at == end ? fault : std::errc::invalid_argument;
}

/// What a number or word becomes that stands outside of strings.
std::string repaired_word(std::string_view word) {
  const std::string same{word};
  std::int64_t integer = 0;
  std::uint64_t large = 0;
  double number = 0;
  if (fault_as(word, integer) == std::errc{}
      || fault_as(word, large) == std::errc{})
    return same;
  const bool is_tiny = same.find("e-") != same.npos
                       || same.find("E-") != same.npos;
  const auto fault = fault_as(word, number);
  if (fault == std::errc::result_out_of_range)
    return is_tiny ? same : "null";
  if (fault != std::errc{})
    return same;
  if (!std::isfinite(number)) // from_chars reads NaN, Infinity and inf, too
    return "null";
  return word.find_first_of(".eE") == word.npos ? same + "e0" : same;
}

class json_mender {
public:
  explicit json_mender(std::string_view from) : rest_(from) {
    to_.text.reserve(from.size());
  }

  repaired_json mend() && {
    while (!rest_.empty())
      if (in_string_)
        string_part();
      else
        token();
    to_.is_cut = in_string_ || depth_ > 0;
    return std::move(to_);
  }

private:
  void keep(std::size_t bytes) {
    to_.text += rest_.substr(0, bytes);
    rest_.remove_prefix(std::min(bytes, rest_.size()));
  }

  void replace(std::size_t bytes, std::string_view with) {
    to_.text += with;
    rest_.remove_prefix(bytes);
  }

  void string_part() {
    constexpr std::size_t escape = 6;
    const char c = rest_.front();
    if (static_cast<unsigned char>(c) < 0x20) {
      constexpr std::string_view digits = "0123456789abcdef";
      const auto code = static_cast<unsigned char>(c);
      return replace(1, std::string{"\\u00"} + digits[code >> 4U]
                          + digits[code & 0xfU]);
    }
    if (c == '"')
      in_string_ = false;
    const auto unit = escaped_unit(rest_);
    if (!unit)
      return keep(c == '\\' ? 2 : 1);
    const bool is_pair
      = is_high_half(*unit)
        && is_low_half(escaped_unit(rest_.substr(escape)).value_or(0));
    if (is_pair)
      return keep(2 * escape);
    if (is_high_half(*unit) || is_low_half(*unit))
      return replace(escape, "\\ufffd");
    keep(escape);
  }

  void token() {
    const auto word = word_in(rest_);
    if (!word.empty())
      return replace(word.size(), repaired_word(word));
    const char c = rest_.front();
    in_string_ = c == '"';
    if (c == '{' || c == '[')
      ++depth_;
    else if (c == '}' || c == ']')
      --depth_;
    keep(1);
  }

  std::string_view rest_;
  repaired_json to_;
  std::int64_t depth_ = 0;
  bool in_string_ = false;
};

} // namespace

repaired_json repair_json(std::string_view text) {
  const auto valid = sanitize_utf8(std::string{text});
  return json_mender{valid}.mend();
}

} // namespace convene::protocol
