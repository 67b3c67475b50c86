#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/participants/people.hpp>
#include <convene/runtime/outside/participants/request_json.hpp>
#include <convene/server/mcp/session_state.hpp>
#include <convene/server/mcp/session_wait.hpp>

#include <algorithm>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;

constexpr std::size_t questions_max = 20;
constexpr std::size_t dialog_entries_max = 20;
constexpr std::size_t question_bytes_max = std::size_t{32} << 10;

/// A question, with the latest of what was said as far as that is short.
json::object question_of(const actors::turn_request& asked) {
  auto made = host::to_json(asked);
  for (const auto* each : {"convene", "session", "workspace", "sequence"})
    made.erase(each);
  auto& dialog = made["dialog"];
  if (auto* said = dialog.if_array())
    if (said->size() > dialog_entries_max)
      said->erase(said->begin(), said->end() - dialog_entries_max);
  if (json::serialize(made).size() > question_bytes_max)
    made.erase("dialog");
  return made;
}

} // namespace

std::string state_schema() {
  return R"json({"type": "object",
"properties": {
  "session_id": {"type": "string"},
  "status": {"type": "string", "description":
    "active, suspended, completed or cancelled; draft: not started"},
  "mode": {"type": "string"},
  "title": {"type": "string"},
  "events": {"type": "integer", "description": "Number of events so far"},
  "turn_state": {"type": "object"},
  "result": {"type": "object", "description": "Once the session has ended"},
  "error": {"type": "object", "description": "Why the session does not run"},
  "questions": {"type": "array", "items": {"type": "object",
    "properties": {"token": {"type": "string"}, "wanted": {"type": "string"},
      "task": {"type": "string"}},
    "required": ["token", "wanted", "task"]},
    "description": "Open questions: answer each with answer_question"},
  "more_questions": {"type": "boolean"}},
"required": ["session_id", "status", "events", "questions"]})json";
}

tool_answer state_answer(const session_access& with,
                         const std::string& session_id) {
  auto made = to_tool_answer(
    with.api.call({.method = "GET", .path = {"v1", "sessions", session_id}}));
  if (made.is_error)
    return made;
  const auto found = with.host.questions()->open(
    {.session_id = session_id, .participant = {}}, questions_max);
  json::array questions;
  for (const auto& each : found.open)
    questions.push_back(question_of(*each));
  made.content["questions"] = std::move(questions);
  made.content["more_questions"] = found.more;
  return made;
}

tool_answer awaited_state(const session_access& with,
                          const std::string& session_id, const tool_call& call,
                          std::int64_t wait_ms_default) {
  const auto wanted
    = protocol::integer_of(call.arguments, "wait_ms").value_or(wait_ms_default);
  wait_for_change(with.host, session_id,
                  std::clamp(std::chrono::milliseconds{wanted},
                             std::chrono::milliseconds{0},
                             with.limits.wait_max),
                  call.stop);
  return state_answer(with, session_id);
}

} // namespace convene::server
