#include <convene/runtime/outside/http/retry_after.hpp>
#include <curl/curl.h>

#include <algorithm>
#include <charconv>
#include <string>

namespace convene::host {
namespace {

constexpr std::int64_t day_s = 24 * 60 * 60;

} // namespace

std::optional<std::int64_t> retry_after_ms(std::string_view value,
                                           std::int64_t now_s) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (value.empty())
    return std::nullopt;
  std::int64_t wait_s = 0;
  if (std::ranges::all_of(value, is_digit)) {
    const auto* end = value.data() + value.size();
    if (std::from_chars(value.data(), end, wait_s).ec != std::errc{})
      wait_s = day_s;
  } else {
    // A date begins with the name of its day.
    const bool is_named = (value[0] >= 'A' && value[0] <= 'Z')
                          || (value[0] >= 'a' && value[0] <= 'z');
    const auto date
      = is_named ? curl_getdate(std::string{value}.c_str(), nullptr) : -1;
    if (date == -1)
      return std::nullopt;
    wait_s = static_cast<std::int64_t>(date) - now_s;
  }
  return std::clamp<std::int64_t>(wait_s, 0, day_s) * 1000;
}

} // namespace convene::host
