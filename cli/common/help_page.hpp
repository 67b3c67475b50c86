#pragma once

#include <cstddef>
#include <string>

namespace CLI { // NOLINT(readability-identifier-naming): not ours
class App;
} // namespace CLI

namespace convene::cli {

/// The help of the program, or of one of its commands: what it does, its usage,
/// its commands by group, its arguments and options, examples and exit codes.
/// Lines are at most `columns` wide, except examples and long words.
[[nodiscard]] std::string help_page(const CLI::App& command,
                                    std::size_t columns);

/// "Usage: convene run [OPTIONS] PATH"
[[nodiscard]] std::string usage_line(const CLI::App& command);

/// The command that was chosen last: of `keys new` that is `new`.
[[nodiscard]] const CLI::App& chosen_command(const CLI::App& program);

/// "convene keys new"
[[nodiscard]] std::string full_name(const CLI::App& command);

} // namespace convene::cli
