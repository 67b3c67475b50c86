#pragma once

#include <convene/server/mcp/endpoint_calls.hpp>
#include <convene/server/mcp/mcp_limits.hpp>
#include <convene/server/mcp/mcp_tool.hpp>
#include <convene/server/mcp/scenario_folders.hpp>
#include <convene/server/sessions/session_host.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace convene::server {

/// What the tools for sessions work with. Lives as long as they do, and no
/// longer than the host.
struct session_access {
  session_access(session_host& of, scenario_folders named, mcp_limits most);

  session_host& host;
  scenario_folders folders;
  mcp_limits limits;
  endpoint_calls api; ///< of sessions
};

/// run_session, session_status, cancel_session, send_message, answer_question
/// and read_events.
[[nodiscard]] std::vector<mcp_tool>
session_tools(const std::shared_ptr<const session_access>& with);

/// Its parts.
[[nodiscard]] mcp_tool
run_session_tool(std::shared_ptr<const session_access> with);
[[nodiscard]] mcp_tool
session_status_tool(std::shared_ptr<const session_access> with);
[[nodiscard]] mcp_tool
cancel_session_tool(std::shared_ptr<const session_access> with);
[[nodiscard]] mcp_tool
send_message_tool(std::shared_ptr<const session_access> with);
[[nodiscard]] mcp_tool
answer_question_tool(std::shared_ptr<const session_access> with);
[[nodiscard]] mcp_tool
read_events_tool(std::shared_ptr<const session_access> with);

/// The answer of an endpoint as a tool's.
[[nodiscard]] tool_answer to_tool_answer(endpoint_calls::answer from);

/// An error as a tool's answer.
[[nodiscard]] tool_answer to_tool_answer(const protocol::error& why);

/// The session is unknown.
[[nodiscard]] tool_answer no_session(std::string_view id);

/// The scenario that a call has, or that its path names; else `refused` is the
/// answer.
[[nodiscard]] std::optional<boost::json::object>
scenario_of(const tool_call& call, const scenario_folders& folders,
            tool_answer& refused);

} // namespace convene::server
