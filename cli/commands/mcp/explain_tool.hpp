#pragma once

#include <convene/server/mcp/session_tools.hpp>

#include <memory>

namespace convene::cli {

/// The tool `explain`: what happened in a session, as `convene explain` has it.
[[nodiscard]] server::mcp_tool
explain_tool(std::shared_ptr<const server::session_access> with);

} // namespace convene::cli
