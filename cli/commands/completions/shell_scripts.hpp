#pragma once

#include <convene/cli/common/command_table.hpp>

#include <string>

namespace convene::cli {

/// Scripts that complete the commands of the program, their options, and the
/// words that options and arguments are one of; files elsewhere.
[[nodiscard]] std::string bash_script(const command_table& program);
[[nodiscard]] std::string zsh_script(const command_table& program);
[[nodiscard]] std::string fish_script(const command_table& program);

} // namespace convene::cli
