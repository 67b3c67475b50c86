#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/timestamp_text.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>

namespace convene::protocol {
namespace {

using namespace std::chrono;

void put(char* at, int width, std::int64_t value) noexcept {
  for (int i = width - 1; i >= 0; --i) {
    at[i] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
}

/// The text of a second, with milliseconds still to be filled in.
std::array<char, 24> write_second(std::int64_t second) noexcept {
  const auto day = second / 86400;
  const auto rest = second % 86400;
  const year_month_day date{sys_days{days{day}}};
  std::array<char, 24> text{'0', '0', '0', '0', '-', '0', '0', '-',
                            '0', '0', 'T', '0', '0', ':', '0', '0',
                            ':', '0', '0', '.', '0', '0', '0', 'Z'};
  put(&text[0], 4, static_cast<int>(date.year()));
  put(&text[5], 2, static_cast<unsigned>(date.month()));
  put(&text[8], 2, static_cast<unsigned>(date.day()));
  put(&text[11], 2, rest / 3600);
  put(&text[14], 2, rest / 60 % 60);
  put(&text[17], 2, rest % 60);
  return text;
}

/// Reads exactly `width` digits at `at`, or -1.
int number(std::string_view text, std::size_t at, std::size_t width) noexcept {
  if (at + width > text.size())
    return -1;
  int value = 0;
  for (auto c : text.substr(at, width)) {
    if (c < '0' || c > '9')
      return -1;
    value = value * 10 + (c - '0');
  }
  return value;
}

bool has(std::string_view text, std::size_t at, std::string_view any) noexcept {
  return at < text.size() && any.find(text[at]) != std::string_view::npos;
}

/// Milliseconds of a fraction `.ddd...` at `at`, which moves behind it; -1
/// where the dot has no digit after it.
std::int64_t fraction(std::string_view text, std::size_t& at) noexcept {
  if (!has(text, at, "."))
    return 0;
  const auto first = ++at;
  std::int64_t value = 0;
  for (; has(text, at, "0123456789"); ++at)
    if (at - first < 3)
      value = value * 10 + (text[at] - '0');
  for (auto digits = at - first; digits < 3; ++digits)
    value *= 10;
  return at == first ? -1 : value;
}

/// Minutes east of UTC of the zone that `text` ends with at `at`.
std::optional<int> zone(std::string_view text, std::size_t at) noexcept {
  if (has(text, at, "zZ"))
    return at + 1 == text.size() ? std::optional{0} : std::nullopt;
  const int hour = number(text, at + 1, 2);
  const int minute = number(text, at + 4, 2);
  if (!has(text, at, "+-") || !has(text, at + 3, ":") || hour < 0 || hour > 23
      || minute < 0 || minute > 59 || at + 6 != text.size())
    return std::nullopt;
  const int offset = hour * 60 + minute;
  return text[at] == '-' ? -offset : offset;
}

} // namespace

namespace {

struct time_text {
  timestamp_ms time = 0;
  std::array<char, 24> text{'1', '9', '7', '0', '-', '0', '1', '-',
                            '0', '1', 'T', '0', '0', ':', '0', '0',
                            ':', '0', '0', '.', '0', '0', '0', 'Z'};
};

/// For a time that is not the one of `kept`.
[[gnu::noinline]] void write_anew(time_text& kept, timestamp_ms time) noexcept {
  // Times come in runs of the same second, often two at once (now and a
  // deadline): a thread keeps the text of the last few.
  struct second_text {
    std::int64_t second = -1;
    std::array<char, 24> text{};
  };
  static thread_local std::array<second_text, 8> recent;
  const auto written = std::clamp<timestamp_ms>(time, 0, timestamp_max);
  const auto second = written / 1000;
  auto& same = recent[static_cast<std::size_t>(second) % recent.size()];
  if (same.second != second)
    same = {second, write_second(second)};
  kept = {time, same.text};
  put(&kept.text[20], 3, written % 1000);
}

} // namespace

char* write_timestamp(char* at, timestamp_ms time) noexcept {
  // A busy session says the same two times, now and a deadline, in hundreds of
  // events a millisecond.
  static thread_local std::array<time_text, 8> recent;
  constexpr std::uint64_t spread = 0x9e3779b97f4a7c15;
  auto& kept = recent[static_cast<std::uint64_t>(time) * spread >> 61];
  if (kept.time != time) [[unlikely]]
    write_anew(kept, time);
  std::memcpy(at, kept.text.data(), kept.text.size());
  return at + kept.text.size();
}

std::array<char, 24> to_chars(timestamp_ms time) noexcept {
  std::array<char, 24> text;
  write_timestamp(text.data(), time);
  return text;
}

std::string format_timestamp(timestamp_ms time) {
  const auto text = to_chars(time);
  return {text.begin(), text.end()};
}

namespace {

std::optional<timestamp_ms> read_timestamp(std::string_view text) noexcept {
  const int y = number(text, 0, 4);
  const int mo = number(text, 5, 2);
  const int d = number(text, 8, 2);
  const int h = number(text, 11, 2);
  const int mi = number(text, 14, 2);
  const int s = number(text, 17, 2);
  if (y < 0 || mo < 0 || d < 0 || h < 0 || h > 23 || mi < 0 || mi > 59 || s < 0
      || s > 60 || !has(text, 4, "-") || !has(text, 7, "-")
      || !has(text, 10, "tT") || !has(text, 13, ":") || !has(text, 16, ":"))
    return std::nullopt;
  const year_month_day date{year{y}, month{static_cast<unsigned>(mo)},
                            day{static_cast<unsigned>(d)}};
  std::size_t at = 19;
  const auto milliseconds_part = fraction(text, at);
  const auto east = zone(text, at);
  if (!date.ok() || milliseconds_part < 0 || !east)
    return std::nullopt;
  const std::int64_t minutes_utc = h * 60 + mi - *east;
  if (s == 60 && (minutes_utc % 1440 + 1440) % 1440 != 1439)
    return std::nullopt;
  const std::int64_t day_number = sys_days{date}.time_since_epoch().count();
  return ((day_number * 1440 + minutes_utc) * 60 + s) * 1000
         + milliseconds_part;
}

} // namespace

std::optional<timestamp_ms> parse_timestamp(std::string_view text) noexcept {
  // As `to_chars` writes them: a thread keeps the last seconds (an event's own
  // and its deadline), without what comes behind the dot.
  constexpr std::size_t second_size = 20;
  struct second_text {
    std::array<char, second_size> text{};
    timestamp_ms value = 0;
  };
  static thread_local std::array<second_text, 8> recent;
  if (text.size() != 24 || text[19] != '.' || text[23] != 'Z')
    return read_timestamp(text);
  const int milliseconds_part = number(text, second_size, 3);
  const auto spread
    = static_cast<unsigned char>(text[15] + text[16] + text[17] + text[18]);
  auto& kept = recent[spread % recent.size()];
  if (milliseconds_part >= 0
      && std::equal(kept.text.begin(), kept.text.end(), text.begin()))
    return kept.value + milliseconds_part;
  const auto read = read_timestamp(text);
  if (read && milliseconds_part >= 0) {
    std::copy_n(text.begin(), second_size, kept.text.begin());
    kept.value = *read - milliseconds_part;
  }
  return read;
}

} // namespace convene::protocol
