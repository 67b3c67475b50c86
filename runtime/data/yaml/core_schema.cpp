#include <boost/json/serialize.hpp>
#include <convene/protocol/base/ascii.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/yaml/core_schema.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace convene::host {
namespace {

using namespace convene::protocol;

/// `null`, `Null` or `NULL`, and so on.
bool is_word(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size())
    return false;
  const auto upper = [](char c) { return static_cast<char>(c - 'a' + 'A'); };
  const bool first_is_upper = text.front() == upper(lower.front());
  if (!first_is_upper && text.front() != lower.front())
    return false;
  const auto rest = text.substr(1);
  return rest == lower.substr(1)
         || (first_is_upper
             && std::ranges::equal(rest, lower.substr(1), {}, {}, upper));
}

tl::unexpected<error> refuse(std::string_view text, const std::string& why,
                             std::string rule) {
  return fail({.code = errc::invalid_json,
               .message = why,
               .rule = std::move(rule),
               .value = shorten(text)});
}

std::string_view take_digits(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  const auto taken = text.substr(0,
                                 static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(taken.size());
  return taken;
}

/// `0o17` and `0xFF`.
std::optional<result<std::string>> other_base(std::string_view text) {
  const int base = text.starts_with("0o") ? 8 : text.starts_with("0x") ? 16 : 0;
  if (base == 0 || text.size() == 2)
    return std::nullopt;
  std::uint64_t number = 0;
  const auto* const end = text.data() + text.size();
  const auto [at, failed] = std::from_chars(text.data() + 2, end, number, base);
  if (at != end)
    return std::nullopt;
  if (failed != std::errc{})
    return refuse(text, "the number has more than 64 bits", "number_range");
  return std::to_string(number);
}

/// A number in decimal digits as JSON writes it.
std::optional<result<std::string>> decimal(std::string_view text) {
  std::string made;
  auto rest = text;
  if (rest.starts_with('-') || rest.starts_with('+')) {
    if (rest.front() == '-')
      made = '-';
    rest.remove_prefix(1);
  }
  const auto whole = take_digits(rest);
  made += whole.empty() ? "0" : whole;
  std::string_view fraction;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    fraction = take_digits(rest);
    made.append(1, '.').append(fraction.empty() ? "0" : fraction);
  }
  if (whole.empty() && fraction.empty())
    return std::nullopt;
  if (rest.starts_with('e') || rest.starts_with('E')) {
    made += 'e';
    rest.remove_prefix(1);
    if (rest.starts_with('-') || rest.starts_with('+')) {
      made += rest.front();
      rest.remove_prefix(1);
    }
    const auto digits = take_digits(rest);
    if (digits.empty())
      return std::nullopt;
    made += digits;
  }
  if (!rest.empty())
    return std::nullopt;
  if (whole.size() > 1 && whole.front() == '0')
    return refuse(
      text,
      "YAML versions disagree on a number that begins with 0: leave "
      "the 0 out, or quote a string",
      "number_ambiguous");
  return made;
}

} // namespace

std::string json_of_string(std::string_view text) {
  return json::serialize(json::string{text});
}

result<std::string> json_of_plain(std::string_view text) {
  if (text.empty() || text == "~" || is_word(text, "null"))
    return "null";
  for (const std::string_view word : {"true", "false"})
    if (is_word(text, word))
      return std::string{word};
  const auto unsigned_text
    = text.substr(text.starts_with('-') || text.starts_with('+') ? 1 : 0);
  if ((unsigned_text.starts_with('.')
       && is_word(unsigned_text.substr(1), "inf"))
      || text == ".nan" || text == ".NaN" || text == ".NAN")
    return refuse(text,
                  "JSON has no infinity and no NaN: write a number, or quote a "
                  "string",
                  "number_range");
  if (auto number = other_base(text))
    return *std::move(number);
  if (auto number = decimal(text))
    return *std::move(number);
  return json_of_string(text);
}

} // namespace convene::host
