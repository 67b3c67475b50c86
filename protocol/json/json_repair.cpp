#include <convene/protocol/base/ascii.hpp>
#include <convene/protocol/json/json_repair.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
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
    // As Python and JavaScript write numbers that JSON does not have.
    constexpr std::array no_numbers{std::string_view{"NaN"},
                                    std::string_view{"Infinity"},
                                    std::string_view{"-Infinity"}};
    for (const auto each : no_numbers)
      if (rest_.starts_with(each))
        return replace(each.size(), "null");
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
