#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/event_log/event_session.hpp>

#include <algorithm>

namespace convene::host {
namespace {

bool may_nest(char c) noexcept {
  return c == '{' || c == '[' || c == '\\';
}

} // namespace

std::optional<protocol::uuid> session_of(std::string_view line) {
  constexpr std::string_view key = "\"session_id\":\"";
  constexpr std::size_t id_length = 36;
  // A quote inside a string has a backslash before it, so this is a member;
  // with no bracket before it, one of the event itself.
  const auto at = line.find(key);
  if (line.starts_with('{') && at != line.npos
      && std::ranges::none_of(line.substr(1, at), may_nest)) {
    const auto rest = line.substr(at + key.size());
    if (rest.size() > id_length && rest[id_length] == '"')
      return protocol::parse_uuid(rest.substr(0, id_length));
  }
  const auto event = protocol::parse_json(line);
  if (!event || !event->is_object())
    return std::nullopt;
  const auto* id = event->get_object().if_contains("session_id");
  if (id == nullptr || !id->is_string())
    return std::nullopt;
  return protocol::parse_uuid(id->get_string());
}

bool is_of_type(std::string_view line, std::string_view type) {
  if (line.find(type) == line.npos)
    return false;
  const auto event = protocol::parse_json(line);
  return event && event->is_object()
         && protocol::text_of(event->get_object(), "event_type") == type;
}

} // namespace convene::host
