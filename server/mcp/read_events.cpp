#include <boost/json/array.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/mcp/session_events.hpp>
#include <convene/server/mcp/session_tools.hpp>
#include <convene/server/mcp/session_wait.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;

constexpr std::int64_t events_default = 50;
constexpr std::int64_t events_max = 500;
constexpr std::size_t page_bytes_max = std::size_t{256} << 10;

tool_answer read(const session_access& with, const tool_call& call) {
  const auto number = [&call](std::string_view name, std::int64_t otherwise) {
    return protocol::integer_of(call.arguments, name).value_or(otherwise);
  };
  const std::string id{protocol::text_of(call.arguments, "session_id")};
  const auto after = static_cast<std::uint64_t>(number("after", 0));
  wait_for_events(with.host, id, after,
                  std::min(std::chrono::milliseconds{number("wait_ms", 0)},
                           with.limits.wait_max),
                  call.stop);
  const auto page = events_after(
    with.host, id, after,
    {.events = static_cast<std::size_t>(number("limit", events_default)),
     .bytes = std::min(page_bytes_max, with.limits.answer_bytes_max / 2)});
  if (!page)
    return page.error().rule == "session_unknown"
             ? no_session(id)
             : to_tool_answer(page.error());
  json::array events;
  for (const auto& line : page->events)
    if (auto event = protocol::parse_json(line))
      events.push_back(*std::move(event));
  return {.content = {{"session_id", id},
                      {"events", std::move(events)},
                      {"next", after + page->events.size()},
                      {"ended", page->is_end}}};
}

} // namespace

mcp_tool read_events_tool(std::shared_ptr<const session_access> with) {
  const auto wait_max = std::to_string(with->limits.wait_max.count());
  return {.name = "read_events",
          .title = "Read a session's events",
          .about
          = "Return a page of a session's event log: what was asked, answered, "
            "written and decided, in order. Continue with `after` set to the "
            "`next` of the previous page, until `ended` is true.",
          .scope = "runs:read",
          .is_read_only = true,
          .input_schema = R"({"type": "object", "properties": {
  "session_id": {"type": "string", "maxLength": 128},
  "after": {"type": "integer", "minimum": 0, "maximum": 9007199254740991,
    "default": 0},
  "limit": {"type": "integer", "minimum": 1, "maximum": )"
                          + std::to_string(events_max) + R"(, "default": )"
                          + std::to_string(events_default) + R"(},
  "wait_ms": {"type": "integer", "minimum": 0, "maximum": )"
                          + wait_max + R"(, "default": 0, "description":
    "How long to wait for an event behind `after`"}},
"required": ["session_id"], "additionalProperties": false})",
          .output_schema = R"({"type": "object", "properties": {
  "session_id": {"type": "string"},
  "events": {"type": "array", "items": {"type": "object"}},
  "next": {"type": "integer"}, "ended": {"type": "boolean"}},
"required": ["session_id", "events", "next", "ended"]})",
          .run = [with](const tool_call& call) { return read(*with, call); }};
}

} // namespace convene::server
