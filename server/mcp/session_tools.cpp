#include <convene/protocol/json/members.hpp>
#include <convene/server/mcp/session_tools.hpp>
#include <convene/server/session_api/session_routes.hpp>

#include <utility>

namespace convene::server {

namespace json = boost::json;

session_access::session_access(session_host& of, scenario_folders named,
                               mcp_limits most)
  : host{of}, folders{std::move(named)}, limits{most},
    api{session_routes(of), most.answer_bytes_max} {}

std::vector<mcp_tool>
session_tools(const std::shared_ptr<const session_access>& with) {
  return {run_session_tool(with),     session_status_tool(with),
          cancel_session_tool(with),  send_message_tool(with),
          answer_question_tool(with), read_events_tool(with)};
}

tool_answer to_tool_answer(endpoint_calls::answer from) {
  tool_answer made{.content = std::move(from.body)};
  constexpr unsigned first_error = 400;
  made.is_error = from.status >= first_error;
  return made;
}

tool_answer to_tool_answer(const protocol::error& why) {
  json::object details;
  if (!why.pointer.empty())
    details.emplace("instance", why.pointer);
  if (!why.file.empty())
    details.emplace("file", why.file);
  if (why.line != 0) {
    details.emplace("line", why.line);
    details.emplace("column", why.column);
  }
  return tool_error(why.rule.empty() ? to_word(why.code) : why.rule,
                    why.message, std::move(details));
}

tool_answer no_session(std::string_view id) {
  return tool_error("session_unknown",
                    "unknown session " + protocol::quote(id)
                      + ": use the session_id that run_session returned");
}

std::optional<json::object> scenario_of(const tool_call& call,
                                        const scenario_folders& folders,
                                        tool_answer& refused) {
  const auto* given = call.arguments.if_contains("scenario");
  const bool is_named = call.arguments.contains("path");
  if ((given != nullptr) == is_named) {
    refused = tool_error("scenario_missing",
                         "give either `scenario`, an object, or `path`, the "
                         "path of a scenario below a folder of the server");
    return std::nullopt;
  }
  if (given != nullptr)
    return given->get_object();
  auto read
    = folders.read(std::string{protocol::text_of(call.arguments, "path")});
  if (!read) {
    refused = to_tool_answer(read.error());
    return std::nullopt;
  }
  return *std::move(read);
}

} // namespace convene::server
