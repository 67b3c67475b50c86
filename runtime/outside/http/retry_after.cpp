#include <convene/protocol/base/ascii.hpp>
#include <convene/runtime/outside/http/curl_library.hpp>
#include <convene/runtime/outside/http/retry_after.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

namespace convene::host {
namespace {

constexpr std::int64_t day_ms = 24LL * 60 * 60 * 1000;

bool is_decimal(std::string_view value) {
  return !value.empty()
         && std::ranges::all_of(
           value, [](char c) { return protocol::is_digit(c) || c == '.'; })
         && std::ranges::count(value, '.') <= 1 && value != ".";
}

/// A decimal number of `unit_ms` each, rounded up.
std::int64_t wait_of(std::string_view value, double unit_ms) {
  double number = 0;
  const auto* end = value.data() + value.size();
  if (std::from_chars(value.data(), end, number).ec != std::errc{})
    return day_ms;
  const auto wait = std::ceil(number * unit_ms);
  return wait < static_cast<double>(day_ms) ? static_cast<std::int64_t>(wait)
                                            : day_ms;
}

} // namespace

std::optional<std::int64_t> retry_after_ms(std::string_view value,
                                           std::int64_t now_s) {
  constexpr std::int64_t second_ms = 1000;
  if (is_decimal(value))
    return wait_of(value, second_ms);
  // A date begins with the name of its day.
  if (value.empty()
      || !(protocol::is_upper(value[0]) || protocol::is_lower(value[0])))
    return std::nullopt;
  const auto date = curl().getdate(std::string{value}.c_str(), nullptr);
  if (date == -1)
    return std::nullopt;
  const auto wait_s = static_cast<std::int64_t>(date) - now_s;
  return std::clamp<std::int64_t>(wait_s, 0, day_ms / second_ms) * second_ms;
}

std::optional<std::int64_t> milliseconds_of(std::string_view value) {
  if (!is_decimal(value))
    return std::nullopt;
  return wait_of(value, 1);
}

} // namespace convene::host
