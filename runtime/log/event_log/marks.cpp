#include <convene/protocol/base/hex.hpp>
#include <convene/runtime/log/event_log/marks.hpp>

#include <charconv>

namespace convene::host {
namespace {

constexpr std::string_view opened_start = R"({"log_opened":)";
constexpr std::string_view format_start = R"({"log_opened":{"format":)";
constexpr std::string_view group_start = R"({"log_group":)";

/// Takes `word` off the front of `text`, if it is there.
bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word))
    return false;
  text.remove_prefix(word.size());
  return true;
}

template <class Number>
bool take_number(std::string_view& text, Number& value, int base) {
  const auto* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc{})
    return false;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return true;
}

} // namespace

std::string to_hex(std::uint32_t crc) {
  return protocol::hex_of(crc, 8);
}

std::string to_line(const group_mark& mark) {
  // Each group has one, and a group may be a single event.
  std::string line;
  line.reserve(group_line_bytes_max);
  line += R"({"log_group":{"bytes":)";
  line += std::to_string(mark.bytes);
  line += R"(,"crc32c":")";
  line += to_hex(mark.crc);
  line += R"(","previous":")";
  line += to_hex(mark.previous);
  line += R"("}})";
  return line;
}

std::optional<group_mark> parse_group(std::string_view line) {
  group_mark mark;
  auto rest = line;
  if (!take(rest, R"({"log_group":{"bytes":)")
      || !take_number(rest, mark.bytes, 10) || !take(rest, R"(,"crc32c":")")
      || !take_number(rest, mark.crc, 16) || !take(rest, R"(","previous":")")
      || !take_number(rest, mark.previous, 16) || to_line(mark) != line)
    return std::nullopt;
  return mark;
}

std::string to_line(const opened_mark& mark) {
  std::string line{format_start};
  line += "1,\"segment\":" + std::to_string(mark.segment) + ",\"previous\":";
  if (mark.previous)
    line += R"({"segment":)" + std::to_string(mark.segment - 1)
            + R"(,"crc32c":")" + to_hex(*mark.previous) + "\"}";
  else
    line += "null";
  return line + "}}";
}

std::optional<opened_mark> parse_opened(std::string_view line) {
  opened_mark mark;
  std::uint32_t before = 0;
  std::uint32_t crc = 0;
  auto rest = line;
  if (!take(rest, format_start) || !take(rest, R"(1,"segment":)")
      || !take_number(rest, mark.segment, 10) || !take(rest, R"(,"previous":)"))
    return std::nullopt;
  if (take(rest, R"({"segment":)") && take_number(rest, before, 10)
      && take(rest, R"(,"crc32c":")") && take_number(rest, crc, 16))
    mark.previous = crc;
  if ((mark.segment == 1) == mark.previous.has_value() || to_line(mark) != line)
    return std::nullopt;
  return mark;
}

std::string to_line(const ended_mark& mark) {
  return R"({"log_ended":{"segment":)" + std::to_string(mark.segment)
         + R"(,"bytes":)" + std::to_string(mark.bytes) + R"(,"crc32c":")"
         + to_hex(mark.crc) + R"(","session_id":")" + mark.session_id
         + R"("}})";
}

std::optional<ended_mark> parse_ended_mark(std::string_view line) {
  ended_mark mark;
  auto rest = line;
  if (!take(rest, R"({"log_ended":{"segment":)")
      || !take_number(rest, mark.segment, 10) || !take(rest, R"(,"bytes":)")
      || !take_number(rest, mark.bytes, 10) || !take(rest, R"(,"crc32c":")")
      || !take_number(rest, mark.crc, 16) || !take(rest, R"(","session_id":")"))
    return std::nullopt;
  mark.session_id = rest.substr(0, rest.find('"'));
  if (to_line(mark) != line)
    return std::nullopt;
  return mark;
}

bool ends_with_group(std::string_view bytes, std::uint32_t crc) noexcept {
  if (!bytes.ends_with('\n'))
    return false;
  bytes.remove_suffix(1);
  const auto mark = parse_group(bytes.substr(bytes.rfind('\n') + 1));
  return mark && mark->crc == crc;
}

bool is_group(std::string_view line) noexcept {
  return line.starts_with(group_start);
}

bool is_opened(std::string_view line) noexcept {
  return line.starts_with(opened_start);
}

std::optional<std::uint32_t> opened_format(std::string_view line) noexcept {
  std::uint32_t format = 0;
  if (!take(line, format_start) || !take_number(line, format, 10)
      || !line.starts_with(',') || !line.ends_with("}}"))
    return std::nullopt;
  return format;
}

} // namespace convene::host
