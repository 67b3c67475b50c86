#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/event_log/cursor.hpp>

#include <charconv>

namespace convene::host {

using namespace protocol;

namespace {

/// Takes a number and the ':' behind it, which the last one lacks.
template <class Number>
bool take_part(std::string_view& text, Number& value, int base = 10) {
  const auto* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc{})
    return false;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  if (!text.empty() && text.front() != ':')
    return false;
  text.remove_prefix(text.empty() ? 0 : 1);
  return true;
}

} // namespace

std::string to_string(const log_cursor& cursor) {
  return std::to_string(cursor.segment) + ':'
         + std::to_string(cursor.group.offset) + ':'
         + std::to_string(cursor.group.line) + ':'
         + std::to_string(cursor.behind) + ':'
         + to_hex(cursor.group.previous_crc);
}

result<log_cursor> parse_cursor(std::string_view text) {
  log_cursor cursor;
  auto rest = text;
  if (take_part(rest, cursor.segment) && take_part(rest, cursor.group.offset)
      && take_part(rest, cursor.group.line) && take_part(rest, cursor.behind)
      && take_part(rest, cursor.group.previous_crc, 16)
      && to_string(cursor) == text
      && (cursor.group.offset == 0) == (cursor.group.line == 1))
    return cursor;
  return protocol::fail(
    {.code = errc::usage,
     .message = "a cursor is what a reader of the log gave, such as "
                "1:4096:17:0:9ab0c1d2",
     .rule = "log_cursor",
     .value = shorten(text)});
}

} // namespace convene::host
