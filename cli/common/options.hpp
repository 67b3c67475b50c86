#pragma once

#include <CLI/App.hpp>

#include <functional>
#include <string>

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

/// For options that take a number from 0 on: one that the library would read as
/// another one is refused. Empty: it is good.
[[nodiscard]] std::string whole_number(const std::string& text);

/// Declares one command of the program; being chosen, it sets `chosen`. Both
/// references must outlive the parsing and the action. A file <name>.cpp in
/// cli/commands/ defines `add_<name>` with this signature.
using add_command = void(CLI::App& program, common_options& common,
                         action& chosen);

} // namespace convene::cli
