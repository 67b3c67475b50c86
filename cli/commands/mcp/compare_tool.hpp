#pragma once

#include <convene/cli/common/options.hpp>
#include <convene/server/mcp/session_tools.hpp>

#include <memory>

namespace convene::cli {

/// The tool `compare_modes`: a scenario in several modes under the same seeds,
/// as `convene study` compares them. One comparison runs at a time.
[[nodiscard]] server::mcp_tool
compare_tool(std::shared_ptr<const server::session_access> with,
             std::size_t threads);

} // namespace convene::cli
