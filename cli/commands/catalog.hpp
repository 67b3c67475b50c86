#pragma once

#include <convene/cli/common/options.hpp>

namespace convene::cli {

/// Declares every command, by name. The list is made from the names of the
/// folders here.
void add_commands(const command_line& program);

} // namespace convene::cli
