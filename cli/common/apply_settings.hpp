#pragma once

#include <convene/cli/common/settings.hpp>
#include <convene/protocol/base/error.hpp>

#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): not ours
class App;
} // namespace CLI

namespace convene::cli {

/// Gives the options of the chosen command that the command line left out the
/// values of the settings: the command's own before those of all commands, the
/// working folder's before the user's. Returns those that were given. Errors
/// name the setting's place.
[[nodiscard]] protocol::result<std::vector<setting>>
apply_settings(const std::vector<setting>& all, CLI::App& program);

/// The error of a command: if it is about options that do not go together, with
/// the places of those that are settings.
[[nodiscard]] protocol::error
with_settings(protocol::error why, const std::vector<setting>& applied);

/// The settings that count for a command, one for each option. `command` is
/// empty for those that count for every other command.
[[nodiscard]] std::vector<const setting*>
settings_for(const std::vector<setting>& all, std::string_view command);

} // namespace convene::cli
