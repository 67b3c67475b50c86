#pragma once

#include <chrono>
#include <cstddef>

namespace convene::server {

/// What an MCP server takes and gives at most.
struct mcp_limits {
  std::size_t message_bytes_max = std::size_t{8} << 20;
  /// Calls of tools and reads of resources that are answered at the same time.
  std::size_t calls_max = 16;
  /// Of a tool's structured answer, and of the text of a resource.
  std::size_t answer_bytes_max = std::size_t{1} << 20;
  /// How long one call waits for a session.
  std::chrono::milliseconds wait_max{300'000};
};

} // namespace convene::server
