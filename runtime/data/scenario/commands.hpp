#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/error.hpp>

#include <filesystem>

namespace convene::host {

/// Makes the commands of behaviours and MCP servers independent of where the
/// scenario is: a program that is named by a relative path gets an absolute
/// one, and "${scenario}" at the beginning of an argument becomes the absolute
/// path of `folder`, the scenario's. A program without a slash stays a name,
/// which is looked up when it is started.
void place_commands(boost::json::object& scenario,
                    const std::filesystem::path& folder);

/// Renames `mcpServers`, as other clients call it, to `mcp_servers`. Refuses a
/// scenario that has both.
[[nodiscard]] protocol::result<void>
name_servers(boost::json::object& scenario);

/// Whether no command needs `place_commands`. Rule `names_file`.
[[nodiscard]] protocol::result<void>
check_no_placed_command(const boost::json::object& scenario);

} // namespace convene::host
