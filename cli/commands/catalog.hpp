#pragma once

#include <convene/cli/common/options.hpp>

#include <span>

namespace convene::cli {

/// Declares every command by name, and the options of those that are among the
/// words of the command line: the others cannot be chosen, and declaring all
/// options takes longer than many a command. The list is made from the names of
/// the folders here.
void add_commands(const command_line& program,
                  std::span<const char* const> words);

} // namespace convene::cli
