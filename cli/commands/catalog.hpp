#pragma once

#include <convene/cli/common/options.hpp>

#include <cstdint>
#include <span>

namespace convene::cli {

/// Whose options are declared.
enum class declared_commands : std::uint8_t {
  named, ///< of those among the words of the command line
  all
};

/// Declares every command by name, and the options of some: others cannot be
/// chosen, and declaring all options takes longer than many a command. The list
/// is made from the names of the folders here.
void add_commands(const command_line& program,
                  std::span<const char* const> words, declared_commands which);

} // namespace convene::cli
