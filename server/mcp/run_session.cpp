// run_session, session_status and cancel_session.

#include <boost/json/serialize.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/mcp/session_state.hpp>

#include <string>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;

constexpr std::int64_t run_wait_ms = 30'000;

/// `wait_ms` of a schema; its maximum is that of the server.
std::string wait_member(const session_access& with, std::int64_t otherwise) {
  return R"("wait_ms": {"type": "integer", "minimum": 0, "maximum": )"
         + std::to_string(with.limits.wait_max.count()) + R"(, "default": )"
         + std::to_string(otherwise)
         + R"(, "description": "How long to wait until the session has ended )"
           R"(or asks a question"})";
}

tool_answer run(const session_access& with, const tool_call& call) {
  tool_answer refused;
  auto scenario = scenario_of(call, with.folders, refused);
  if (!scenario)
    return refused;
  auto made = to_tool_answer(with.api.call(
    {.method = "POST",
     .path = {"v1", "sessions"},
     .body = json::serialize(json::object{{"scenario", *std::move(scenario)}}),
     .key = call.key}));
  if (made.is_error)
    return made;
  return awaited_state(
    with, std::string{protocol::text_of(made.content, "session_id")}, call,
    run_wait_ms);
}

std::string session_of(const tool_call& call) {
  return std::string{protocol::text_of(call.arguments, "session_id")};
}

} // namespace

mcp_tool run_session_tool(std::shared_ptr<const session_access> with) {
  return {.name = "run_session",
          .title = "Run a session",
          .about
          = "Start a multi-agent session from a convene scenario and wait for "
            "it. Returns its session_id and status. If the wait ends first, "
            "the session continues: call session_status. If a participant is "
            "a person, their open questions are in `questions`: answer them "
            "with answer_question.",
          .scope = "runs:create",
          .input_schema = R"({"type": "object", "properties": {
  "scenario": {"type": "object", "description":
    "A convene scenario with all of its documents in it"},
  "path": {"type": "string", "minLength": 1, "maxLength": 4096, "description":
    "Instead: path of a scenario below a folder that the server was given"},
  )" + wait_member(*with, run_wait_ms)
                          + R"(}, "additionalProperties": false})",
          .output_schema = state_schema(),
          .run = [with](const tool_call& call) { return run(*with, call); }};
}

mcp_tool session_status_tool(std::shared_ptr<const session_access> with) {
  return {
    .name = "session_status",
    .title = "Status of a session",
    .about = "Return a session's status, its result once it has ended, and the "
             "questions that are open. With wait_ms, wait for its end or for a "
             "question first.",
    .scope = "runs:read",
    .is_read_only = true,
    .input_schema = R"({"type": "object", "properties": {
  "session_id": {"type": "string", "maxLength": 128}, )"
                    + wait_member(*with, 0) + R"(}, "required": ["session_id"],
"additionalProperties": false})",
    .output_schema = state_schema(),
    .run = [with](const tool_call& call) {
      return awaited_state(*with, session_of(call), call, 0);
    }};
}

mcp_tool cancel_session_tool(std::shared_ptr<const session_access> with) {
  return {.name = "cancel_session",
          .title = "Cancel a session",
          .about
          = "Cancel a session that has not ended. Use session_status to see "
            "its end.",
          .scope = "runs:cancel",
          .input_schema = R"({"type": "object", "properties": {
  "session_id": {"type": "string", "maxLength": 128},
  "reason": {"type": "string", "maxLength": 4096}},
"required": ["session_id"], "additionalProperties": false})",
          .output_schema = R"({"type": "object", "properties": {
  "session_id": {"type": "string"}, "accepted": {"type": "string"}},
"required": ["session_id"]})",
          .run = [with](const tool_call& call) {
            json::object body;
            if (const auto why = protocol::text_of(call.arguments, "reason");
                !why.empty())
              body.emplace("reason", why);
            return to_tool_answer(with->api.call(
              {.method = "POST",
               .path = {"v1", "sessions", session_of(call), "cancel"},
               .body = json::serialize(body)}));
          }};
}

} // namespace convene::server
