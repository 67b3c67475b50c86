#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/action.hpp>
#include <convene/runtime/outside/processes/program.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// An entry of a scenario's `mcp_servers`; see docs/agents/mcp.md.
struct mcp_server_settings {
  std::vector<std::string> command; ///< at least the program
  std::vector<std::string> env;     ///< names of variables that it gets
  std::int64_t timeout_ms = 60'000; ///< of each request to it
  std::int64_t memory_bytes = 0;    ///< 0: no bound
  std::string working_folder;       ///< empty: convene gives it one
};

/// Reads the settings; `pointer` is their place, for errors.
[[nodiscard]] protocol::result<mcp_server_settings>
read_mcp_server_settings(const protocol::json::value& from,
                         std::string_view pointer);

/// The server's program, like `program_for` of a process.
[[nodiscard]] program
program_for(const mcp_server_settings& from, std::string file,
            std::vector<std::string> environment, std::string working_folder);

} // namespace convene::host
