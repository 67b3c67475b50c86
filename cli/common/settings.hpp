#pragma once

#include <convene/cli/usage/usage_book.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/common.hpp>

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace convene::cli {

/// A default that a configuration file has.
struct setting {
  std::string command; ///< "keys new"; empty: every command with the option
  std::string name;    ///< of the option, with underscores: "log_level"
  protocol::json::value value;
  protocol::error place; ///< file, line, column and pointer, without a message
};

/// The setting of values for variables that a scenario declares.
inline constexpr std::string_view variables_setting = "variables";

/// Where configuration files may be. `own` is the user's: empty without a home.
struct settings_files {
  std::filesystem::path own;
  std::filesystem::path of_folder;
};
[[nodiscard]] settings_files usual_settings_files();

/// The settings of both files; one that is not there has none. Those of the
/// user's file come first. Errors (`usage`) have file, line and column: what is
/// not JSON, a setting that no command has, and in the working folder's file,
/// which a stranger may have written, all but a few harmless ones.
[[nodiscard]] protocol::result<std::vector<setting>>
read_settings(const settings_files& from, const usage_book& known);

} // namespace convene::cli
