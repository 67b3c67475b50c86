#pragma once

#include <convene/cli/common/options.hpp>
#include <convene/cli/common/serve_arguments.hpp>

namespace convene::cli {

/// Serves until SIGINT or SIGTERM, then stops in order; returns the exit code.
[[nodiscard]] protocol::result<int> run_server(const serve_arguments& arguments,
                                               const common_options& common);

} // namespace convene::cli
