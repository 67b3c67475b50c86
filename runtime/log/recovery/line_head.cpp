#include <convene/protocol/events/member_steps.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/recovery/line_head.hpp>

#include <utility>

namespace convene::host {
namespace {

/// The text of the first member `name`, which is written `"name":"`.
std::string_view text_after(std::string_view line,
                            std::string_view name) noexcept {
  const auto found = line.find(name);
  if (found == line.npos)
    return {};
  const auto rest = line.substr(found + name.size());
  const auto end = rest.find('"');
  return end == rest.npos ? std::string_view{} : rest.substr(0, end);
}

line_head parsed_head(std::string_view line) {
  auto event = protocol::parse_json(line);
  if (!event || !event->is_object())
    return {.session_id = text_after(line, R"("session_id":")"),
            .timestamp = text_after(line, R"("timestamp":")")};
  auto parsed = std::make_shared<const boost::json::value>(*std::move(event));
  const auto& members = parsed->get_object();
  return {.event_type = protocol::text_of(members, "event_type"),
          .session_id = protocol::text_of(members, "session_id"),
          .timestamp = protocol::text_of(members, "timestamp"),
          .parsed = std::move(parsed)};
}

} // namespace

line_head head_of(std::string_view line) {
  constexpr std::size_t id_size = 36;
  constexpr std::size_t timestamp_size = 24;
  protocol::member_steps members{line};
  if (!members.text(R"({"event_id":")", id_size))
    return parsed_head(line);
  const auto type = members.text(R"(,"event_type":")");
  static_cast<void>(members.text(R"(,"event_family":")"));
  // Events of the protocol name their session first, others their time.
  auto id = members.text(R"(,"session_id":")", id_size);
  const auto at = members.text(R"(,"timestamp":")", timestamp_size);
  if (!id)
    id = members.text(R"(,"session_id":")", id_size);
  if (!type || !id || !at)
    return parsed_head(line);
  return {.event_type = *type, .session_id = *id, .timestamp = *at};
}

std::string_view session_key_of(const line_head& head, std::string_view line) {
  if (head.parsed == nullptr)
    return text_after(line, R"("session_key":")");
  return protocol::text_of(
    protocol::object_of(head.parsed->get_object(), "payload"), "session_key");
}

} // namespace convene::host
