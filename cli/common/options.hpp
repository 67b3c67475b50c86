#pragma once

#include <CLI/App.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace convene::cli {

/// What every command understands.
struct common_options {
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  bool no_color = false;
  std::string log_level = "warn";
  unsigned threads = 0; ///< 0: all cores
};

/// A command that has been chosen, with its options: carries it out and
/// returns the exit code.
using action = std::function<int()>;

/// Declares the common options for a command.
void add_common(CLI::App& command, common_options& common);

/// A check for options: of what was given it says what is wrong; empty:
/// nothing.
using option_check = std::function<std::string(const std::string&)>;

/// For a whole number within bounds. One that the library would read as another
/// one (-1, 1e3, 2^64) is refused.
[[nodiscard]] option_check
whole_number(std::uint64_t least = 0,
             std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

/// For one of these words.
[[nodiscard]] option_check one_of(std::vector<std::string> words);

/// Makes all options of a command and of its subcommands refuse an empty value,
/// which would count as not given.
void refuse_empty_values(CLI::App& command);

/// Declares one command of the program; being chosen, it sets `chosen`. Both
/// references must outlive the parsing and the action. A file <name>.cpp in
/// cli/commands/ defines `add_<name>` with this signature.
using add_command = void(CLI::App& program, common_options& common,
                         action& chosen);

} // namespace convene::cli
