#pragma once

#include <convene/server/mcp/session_tools.hpp>

#include <string>
#include <string_view>

namespace convene::server {

/// The schema of the answers of `state_answer`.
[[nodiscard]] std::string state_schema();

/// A session as it stands: what GET /v1/sessions/{id} has, and the questions
/// that are open, without the workspace.
[[nodiscard]] tool_answer state_answer(const session_access& with,
                                       const std::string& session_id);

/// Waits as `wait_ms` of the call says, but at most as long as a call may, then
/// returns the same.
[[nodiscard]] tool_answer
awaited_state(const session_access& with, const std::string& session_id,
              const tool_call& call, std::int64_t wait_ms_default);

} // namespace convene::server
