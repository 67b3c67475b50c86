#pragma once

#include <convene/cli/common/command_table.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::cli {

/// Visits the program and all commands, each with its path: "keys new".
using table_visitor
  = std::function<void(const command_table& command, const std::string& path)>;
void visit_commands(const command_table& program, const table_visitor& visit);

/// With `help` behind the program's own commands.
[[nodiscard]] std::vector<command_table>
offered_commands(const command_table& command);

/// "a b c"
[[nodiscard]] std::string joined(const std::vector<std::string>& words);

/// The names of the options, with a value or without, on one line.
[[nodiscard]] std::string option_names(const command_table& command,
                                       bool takes_value);

/// The first sentence of what the help says, as one line.
[[nodiscard]] std::string first_sentence(std::string_view about);

/// Quoted for the shell: 'it'\\''s'.
[[nodiscard]] std::string single_quoted(std::string_view text);

} // namespace convene::cli
