// send_message and answer_question.

#include <boost/json/serialize.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/mcp/session_tools.hpp>

#include <string>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;

constexpr const char* accepted_schema = R"({"type": "object", "properties": {
  "session_id": {"type": "string"}, "participant_id": {"type": "string"},
  "token": {"type": "string"}, "status": {"type": "string"},
  "duplicate": {"type": "boolean"}},
"required": ["session_id", "status"]})";

std::string text_in(const tool_call& call, std::string_view name) {
  return std::string{protocol::text_of(call.arguments, name)};
}

/// The members of a call by these names, as far as it has them.
json::object members_in(const tool_call& call,
                        std::initializer_list<std::string_view> names) {
  json::object made;
  for (const auto name : names)
    if (const auto* given = call.arguments.if_contains(name))
      made.emplace(name, *given);
  return made;
}

tool_answer answer(const session_access& with, const tool_call& call) {
  const auto* reply = call.arguments.if_contains("reply");
  if ((reply != nullptr) == call.arguments.contains("content"))
    return tool_error("reply_missing",
                      "give either `content`, a text, or `reply`, an object "
                      "with members such as content, writes, vote or decision");
  std::map<std::string, std::string, std::less<>> query;
  if (auto who = text_in(call, "participant_id"); !who.empty())
    query.emplace("participant", std::move(who));
  return to_tool_answer(with.api.call(
    {.method = "POST",
     .path = {"v1", "requests", text_in(call, "token"), "reply"},
     .body = json::serialize(reply != nullptr ? reply->get_object()
                                              : members_in(call, {"content"})),
     .query = std::move(query)}));
}

} // namespace

mcp_tool send_message_tool(std::shared_ptr<const session_access> with) {
  return {
    .name = "send_message",
    .title = "Send a message into a session",
    .about = "Say something in a running session that answers no question: all "
             "participants see it in their next turns. With participant_id, a "
             "participant of kind human or external says it.",
    .scope = "approvals:respond",
    .input_schema = R"({"type": "object", "properties": {
  "session_id": {"type": "string", "maxLength": 128},
  "content": {"type": "string", "minLength": 1, "maxLength": 65536},
  "participant_id": {"type": "string", "maxLength": 256}},
"required": ["session_id", "content"], "additionalProperties": false})",
    .output_schema = accepted_schema,
    .run = [with](const tool_call& call) {
      return to_tool_answer(with->api.call(
        {.method = "POST",
         .path = {"v1", "sessions", text_in(call, "session_id"), "messages"},
         .body
         = json::serialize(members_in(call, {"content", "participant_id"}))}));
    }};
}

mcp_tool answer_question_tool(std::shared_ptr<const session_access> with) {
  return {.name = "answer_question",
          .title = "Answer a question of a session",
          .about
          = "Answer an open question, for a participant that is a person or "
            "external. `token` is that of the question in session_status or "
            "run_session. `content` is the answer's text; for a vote, writes "
            "or a decision give `reply` instead.",
          .scope = "approvals:respond",
          .input_schema = R"({"type": "object", "properties": {
  "token": {"type": "string", "minLength": 1, "maxLength": 512},
  "content": {"type": "string", "maxLength": 1048576},
  "reply": {"type": "object"},
  "participant_id": {"type": "string", "maxLength": 256, "description":
    "Needed where several participants are asked under one token"}},
"required": ["token"], "additionalProperties": false})",
          .output_schema = accepted_schema,
          .run = [with](const tool_call& call) { return answer(*with, call); }};
}

} // namespace convene::server
