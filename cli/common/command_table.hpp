#pragma once

#include <convene/protocol/documents/common.hpp>

#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): not ours
class App;
} // namespace CLI

namespace convene::cli {

/// An option, or an argument by position.
struct table_option {
  std::vector<std::string> names; ///< "--quiet", "-q"; of an argument one
  std::string value;              ///< what stands for it; empty: none
  std::string about;
  std::vector<std::string> words; ///< what the value is one of; empty: anything
  bool takes_value = false;
  bool is_repeated = false;
  bool is_required = false;
  bool is_common = false; ///< every command has it
};

/// A command with all that it can be called with.
struct command_table {
  std::string name;
  std::string about;
  std::string group;
  std::string usage;
  std::string footer; ///< examples and exit codes
  std::vector<table_option> arguments;
  std::vector<table_option> options;
  std::vector<command_table> commands;
};

/// What was declared, of the program or of one of its commands.
[[nodiscard]] command_table table_of(const CLI::App& command);

[[nodiscard]] protocol::json::object to_json(const command_table& table);

} // namespace convene::cli
