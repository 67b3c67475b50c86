#pragma once

#include <convene/server/http/route.hpp>
#include <convene/server/mcp/mcp_service.hpp>

#include <memory>

namespace convene::server {

/// POST /mcp: MCP over Streamable HTTP, in both eras. Answers are JSON,
/// never streams, and the protocol's sessions are not used.
[[nodiscard]] routes mcp_routes(std::shared_ptr<mcp_service> service);

} // namespace convene::server
