#include <convene/protocol/base/ascii.hpp>
#include <convene/protocol/text/text_rules.hpp>

#include <algorithm>
#include <chrono>

namespace convene::protocol {
namespace {

/// Whether `text` starts with `shape`, where `0` is any digit.
bool starts_like(std::string_view text, std::string_view shape) {
  return text.size() >= shape.size()
         && std::ranges::equal(text.substr(0, shape.size()), shape,
                               [](char c, char wanted) {
                                 return wanted == '0' ? is_digit(c)
                                                      : c == wanted;
                               });
}

int number(std::string_view text, std::size_t at, std::size_t width) {
  int value = 0;
  for (char c : text.substr(at, width))
    value = value * 10 + (c - '0');
  return value;
}

bool is_date(std::string_view text) {
  using namespace std::chrono;
  return starts_like(text, "0000-00-00")
         && year_month_day{year{number(text, 0, 4)},
                           month{static_cast<unsigned>(number(text, 5, 2))},
                           day{static_cast<unsigned>(number(text, 8, 2))}}
              .ok();
}

bool is_clock_time(std::string_view text) {
  if (!starts_like(text, "00:00:00"))
    return false;
  const int hour = number(text, 0, 2);
  const int minute = number(text, 3, 2);
  const int second = number(text, 6, 2);
  return hour <= 23 && minute <= 59
         && (second <= 59 || (hour == 23 && minute == 59 && second == 60));
}

/// Removes a `.` and its digits; false where there are no digits.
bool skip_fraction(std::string_view& text) {
  if (!text.starts_with('.'))
    return true;
  const auto end = std::min(text.find_first_not_of("0123456789", 1),
                            text.size());
  text.remove_prefix(end);
  return end > 1;
}

bool is_zone(std::string_view text) {
  if (text.empty() || text == "Z" || text == "z")
    return true;
  if (text[0] != '+' && text[0] != '-')
    return false;
  text.remove_prefix(1);
  return (text.size() == 2 && starts_like(text, "00"))
         || (text.size() == 4 && starts_like(text, "0000"))
         || (text.size() == 5 && starts_like(text, "00:00"));
}

/// Calls `holds` with each part between dots, at least one.
template <class Predicate>
bool all_parts(std::string_view text, int count, Predicate holds) {
  int parts = 0;
  while (true) {
    const auto dot = text.find('.');
    if (!holds(text.substr(0, dot)))
      return false;
    ++parts;
    if (dot == std::string_view::npos)
      return count == 0 || parts == count;
    text.remove_prefix(dot + 1);
  }
}

} // namespace

bool is_date_time(std::string_view text) noexcept {
  if (text.size() < 19
      || std::string_view{"tT \t\n\v\f\r"}.find(text[10])
           == std::string_view::npos
      || !is_date(text) || !is_clock_time(text.substr(11)))
    return false;
  text.remove_prefix(19);
  return skip_fraction(text) && is_zone(text);
}

bool is_event_type(std::string_view text) noexcept {
  return all_parts(text, 0, [](std::string_view word) {
    return !word.empty() && is_lower(word[0])
           && std::ranges::all_of(word, [](char c) {
                return is_lower(c) || is_digit(c);
              });
  });
}

bool is_version(std::string_view text) noexcept {
  return all_parts(text, 3, [](std::string_view word) {
    return !word.empty() && std::ranges::all_of(word, is_digit);
  });
}

bool is_semantic_version(std::string_view text) noexcept {
  const auto is_mark = [](char c) {
    return is_digit(c) || is_lower(c) || (c >= 'A' && c <= 'Z') || c == '-';
  };
  const auto is_marks = [&](std::string_view part) {
    return !part.empty() && std::ranges::all_of(part, is_mark);
  };
  const auto is_plain = [](std::string_view part) {
    return part.size() == 1 || part[0] != '0';
  };
  if (const auto plus = text.find('+'); plus != text.npos) {
    if (!all_parts(text.substr(plus + 1), 0, is_marks))
      return false;
    text = text.substr(0, plus);
  }
  if (const auto dash = text.find('-'); dash != text.npos) {
    if (!all_parts(text.substr(dash + 1), 0, [&](std::string_view part) {
          return is_marks(part)
                 && (is_plain(part) || !std::ranges::all_of(part, is_digit));
        }))
      return false;
    text = text.substr(0, dash);
  }
  return is_version(text) && all_parts(text, 3, is_plain);
}

bool is_cross_cutting(std::string_view text) noexcept {
  static constexpr std::string_view duties[]{
    "coordination",  "error-handling", "event-bus",   "learning-feedback",
    "observability", "orchestration",  "performance", "protocol-versioning",
    "security",      "state-sync",     "transaction"};
  return std::ranges::find(duties, text) != std::ranges::end(duties);
}

} // namespace convene::protocol
