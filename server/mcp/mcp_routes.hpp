#pragma once

#include <convene/server/http/route.hpp>
#include <convene/server/mcp/mcp_service.hpp>

#include <memory>

namespace convene::server {

/// POST /mcp: MCP over Streamable HTTP, in both eras. Answers are JSON; there
/// are no sessions of the protocol and no streams.
[[nodiscard]] routes mcp_routes(std::shared_ptr<mcp_service> service);

} // namespace convene::server
