#pragma once

#include <convene/cli/commands/serve/serve_arguments.hpp>
#include <convene/cli/common/options.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace convene::cli {

/// The options of `convene mcp`.
struct mcp_arguments {
  /// Those that it shares with `serve`. `listen` is empty: standard input and
  /// output; `data` is empty: a folder of its own, which is removed at the end.
  serve_arguments serve = {.listen = {}};
  std::vector<std::string> scenarios; ///< folders
  std::size_t sessions = 16;          ///< that run at the same time
};

/// Declares the options of `convene mcp`.
void add_mcp_arguments(const command_line& command, mcp_arguments& arguments);

} // namespace convene::cli
