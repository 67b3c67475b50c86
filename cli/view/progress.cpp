#include <convene/cli/view/progress.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace convene::cli {
namespace {

constexpr std::string_view bytes_unit = "bytes";
constexpr double megabyte = 1e6;

std::string count_text(std::uint64_t count) {
  auto digits = std::to_string(count);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0;
       at -= 3)
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  return digits;
}

std::string amount(std::uint64_t count, bool is_bytes) {
  return is_bytes ? fmt::format("{:.1f}", static_cast<double>(count) / megabyte)
                  : count_text(count);
}

std::string rate_text(double each_second, bool is_bytes) {
  if (is_bytes)
    return fmt::format("{:.0f} MB/s", each_second / megabyte);
  return each_second < 10 ? fmt::format("{:.1f}/s", each_second)
                          : fmt::format("{:.0f}/s", each_second);
}

std::string duration_text(std::chrono::seconds left) {
  constexpr std::int64_t minute = 60;
  constexpr std::int64_t hour = 3600;
  const auto seconds = left.count();
  if (seconds < 2 * minute)
    return fmt::format("{} s", seconds);
  if (seconds < 2 * hour)
    return fmt::format("{} min", seconds / minute);
  return fmt::format("{} h {} min", seconds / hour, seconds % hour / minute);
}

std::optional<std::chrono::seconds> time_left(const progress& now,
                                              double each_second) {
  if (now.left || now.all <= now.done || each_second <= 0)
    return now.left;
  constexpr double most = 1e6; // eleven days: as good as never
  const auto left = static_cast<double>(now.all - now.done) / each_second;
  return std::chrono::seconds{static_cast<std::int64_t>(std::min(left, most))
                              + 1};
}

} // namespace

std::string progress_text(const progress& now,
                          std::chrono::nanoseconds elapsed) {
  const bool is_bytes = now.unit == bytes_unit;
  const auto seconds = std::chrono::duration<double>(elapsed).count();
  const auto rate = seconds > 0 ? static_cast<double>(now.done) / seconds : 0.0;
  std::string text{now.what};
  text += (text.empty() ? "" : ": ") + amount(now.done, is_bytes);
  if (now.all != 0)
    text += " of " + amount(now.all, is_bytes);
  text += is_bytes ? " MB" : fmt::format(" {}", now.unit);
  if (now.all != 0)
    text += fmt::format(" ({} %)",
                        std::min<std::uint64_t>(100, now.done * 100 / now.all));
  if (now.failed)
    text += ", " + count_text(*now.failed) + " failed";
  if (rate > 0)
    text += ", " + rate_text(rate, is_bytes);
  if (const auto left = time_left(now, rate))
    text += ", " + duration_text(*left) + " left";
  return text;
}

} // namespace convene::cli
