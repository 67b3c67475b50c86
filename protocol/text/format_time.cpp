#include <convene/protocol/base/ascii.hpp>
#include <convene/protocol/text/format.hpp>

#include <cstddef>

namespace convene::protocol::validation {
namespace {

/// The number that two digits at `at` make, or something over 99.
constexpr unsigned two_digits(const char* at) noexcept {
  const auto tens = static_cast<unsigned>(at[0] - '0');
  const auto ones = static_cast<unsigned>(at[1] - '0');
  return tens > 9 || ones > 9 ? 100 : tens * 10 + ones;
}

/// `YYYY-MM-DD` at `at`, which has ten bytes.
bool is_date_at(const char* at) noexcept {
  const unsigned century = two_digits(at);
  const unsigned year = two_digits(at + 2);
  const unsigned month = two_digits(at + 5);
  const unsigned day = two_digits(at + 8);
  if (century > 99 || year > 99 || month - 1 > 11 || at[4] != '-'
      || at[7] != '-' || day == 0)
    return false;
  if (day <= 28)
    return true;
  if (month != 2)
    return day <= 30 + ((month + month / 8) & 1U);
  const bool leap = year != 0 ? year % 4 == 0 : century % 4 == 0;
  return leap && day == 29;
}

/// Minutes from UTC of `Z`, `+hh:mm` or `-hh:mm`.
struct zone {
  bool ok;
  int minutes;
};

zone read_zone(std::string_view text) noexcept {
  if (text.size() == 1)
    return {text[0] == 'Z' || text[0] == 'z', 0};
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':')
    return {false, 0};
  const unsigned hour = two_digits(text.data() + 1);
  const unsigned minute = two_digits(text.data() + 4);
  const int east = static_cast<int>(hour * 60 + minute);
  return {hour < 24 && minute < 60, text[0] == '-' ? -east : east};
}

/// `hh:mm:ss`, a fraction and a zone; a leap second ends a day in UTC.
bool is_time(std::string_view text) noexcept {
  if (text.size() < 9 || text[2] != ':' || text[5] != ':')
    return false;
  const unsigned hour = two_digits(text.data());
  const unsigned minute = two_digits(text.data() + 3);
  const unsigned second = two_digits(text.data() + 6);
  if (hour > 23 || minute > 59 || second > 60)
    return false;
  std::size_t at = 8;
  if (text[at] == '.') {
    while (++at < text.size() && is_digit(text[at])) {
    }
    if (at == 9)
      return false;
  }
  const auto offset = read_zone(text.substr(at));
  if (!offset.ok || second < 60)
    return offset.ok;
  const int in_utc = static_cast<int>(hour * 60 + minute) - offset.minutes;
  return (in_utc + 2 * 1440) % 1440 == 1439;
}

} // namespace

bool is_rfc3339_date(std::string_view text) {
  return text.size() == 10 && is_date_at(text.data());
}

bool is_rfc3339_time(std::string_view text) {
  return is_time(text);
}

bool is_rfc3339_date_time(std::string_view text) {
  return text.size() >= 20 && (text[10] == 'T' || text[10] == 't')
         && is_date_at(text.data()) && is_time(text.substr(11));
}

} // namespace convene::protocol::validation
