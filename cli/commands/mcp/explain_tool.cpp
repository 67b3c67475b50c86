#include <convene/cli/commands/explain/story_text.hpp>
#include <convene/cli/commands/mcp/explain_tool.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/mcp/session_events.hpp>
#include <convene/session/story/story_json.hpp>

#include <string>
#include <utility>

namespace convene::cli {
namespace {

server::tool_answer explain_session(const server::session_access& with,
                                    const server::tool_call& call) {
  const std::string id{protocol::text_of(call.arguments, "session_id")};
  session::session_story story{id};
  const auto read = server::for_each_event(
    with.host, id, call.stop, [&story](std::string_view line) {
      if (const auto value = protocol::parse_json(line);
          value && value->is_object())
        story.add(value->get_object());
    });
  if (!read)
    return read.error().rule == "session_unknown"
             ? server::no_session(id)
             : server::to_tool_answer(read.error());
  return {.content = {{"session_id", id},
                      {"story", session::story_json(story)}},
          .text = story_text(story, false)};
}

} // namespace

server::mcp_tool
explain_tool(std::shared_ptr<const server::session_access> with) {
  return {.name = "explain",
          .title = "Explain a session",
          .about
          = "Summarize in plain English what happened in a session so far: who "
            "did what, conflicts, handoffs, failures, and why it ended.",
          .scope = "runs:read",
          .is_read_only = true,
          .input_schema = R"({"type": "object", "properties": {
  "session_id": {"type": "string", "maxLength": 128}},
"required": ["session_id"], "additionalProperties": false})",
          .output_schema = R"({"type": "object", "properties": {
  "session_id": {"type": "string"}, "story": {"type": "object"}},
"required": ["session_id", "story"]})",
          .run = [with = std::move(with)](const server::tool_call& call) {
            return explain_session(*with, call);
          }};
}

} // namespace convene::cli
