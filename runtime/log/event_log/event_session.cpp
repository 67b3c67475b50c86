#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/event_log/event_session.hpp>

#include <algorithm>

namespace convene::host {

using namespace protocol;

namespace {

bool may_nest(char c) noexcept {
  return c == '{' || c == '[' || c == '\\';
}

/// The line from the value of a member on, which `key` ends before, if that is
/// a member of the event itself.
std::optional<std::string_view> text_after(std::string_view line,
                                           std::string_view key) {
  // A quote inside a string has a backslash before it, so this is a member;
  // with no bracket before it, one of the event itself.
  const auto at = line.find(key);
  if (!line.starts_with('{') || at == line.npos
      || !std::ranges::none_of(line.substr(1, at), may_nest))
    return std::nullopt;
  return line.substr(at + key.size());
}

} // namespace

std::optional<uuid> session_of(std::string_view line) {
  constexpr std::size_t id_length = 36;
  const auto rest = text_after(line, "\"session_id\":\"");
  if (rest && rest->size() > id_length && (*rest)[id_length] == '"')
    return parse_uuid(rest->substr(0, id_length));
  const auto event = parse_json(line);
  if (!event || !event->is_object())
    return std::nullopt;
  const auto* id = event->get_object().if_contains("session_id");
  if (id == nullptr || !id->is_string())
    return std::nullopt;
  return parse_uuid(id->get_string());
}

std::optional<std::string_view> type_at_once(std::string_view line) {
  const auto rest = text_after(line, "\"event_type\":\"");
  const auto end = rest ? rest->find_first_of("\"\\") : line.npos;
  return end != line.npos && (*rest)[end] == '"'
           ? std::optional{rest->substr(0, end)}
           : std::nullopt;
}

bool is_of_type(std::string_view line, std::string_view type) {
  if (line.find(type) == line.npos)
    return false;
  const auto event = parse_json(line);
  return event && event->is_object()
         && protocol::text_of(event->get_object(), "event_type") == type;
}

} // namespace convene::host
