#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/action.hpp>
#include <convene/runtime/outside/processes/program.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// An entry of a scenario's `mcp_servers`; see docs/agents/mcp.md.
struct mcp_server_settings {
  std::vector<std::string> command; ///< empty: it is reached at `url`
  std::string url;
  std::map<std::string, std::string> headers; ///< values as in `values`
  std::vector<std::string> env; ///< names of variables that it gets
  /// Variables that the scenario sets. In a value, "${env:NAME}" at its end
  /// stands for a variable of convene.
  std::map<std::string, std::string> values;
  std::int64_t timeout_ms = 60'000; ///< of each request to it
  std::int64_t memory_bytes = 0;    ///< 0: no bound
  std::string working_folder;       ///< empty: convene gives it one
};

/// The variable of convene that a value of a scenario ends with, as
/// "${env:NAME}"; empty: none. `before` becomes what stands before it.
[[nodiscard]] std::string_view variable_in(std::string_view value,
                                           std::string_view& before);

/// Whether a variable can decide which code a program runs or whom it trusts,
/// by its name. The list is long and not complete.
[[nodiscard]] bool steers_programs(std::string_view name);

/// Reads the settings, in our form and in that of other clients: `command` as a
/// text with `args`, `env` as an object, `cwd`, `url`. `pointer` is their
/// place, for errors.
[[nodiscard]] protocol::result<mcp_server_settings>
read_mcp_server_settings(const protocol::json::value& from,
                         std::string_view pointer);

/// The server's program, like `program_for` of a process.
[[nodiscard]] program
program_for(const mcp_server_settings& from, std::string file,
            std::vector<std::string> environment, std::string working_folder);

} // namespace convene::host
