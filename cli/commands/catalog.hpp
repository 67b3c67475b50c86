#pragma once

#include <convene/cli/common/options.hpp>

namespace convene::cli {

/// Declares every command, by name. The list is made from the names of the
/// folders here.
void add_commands(CLI::App& program, common_options& common, action& chosen);

} // namespace convene::cli
