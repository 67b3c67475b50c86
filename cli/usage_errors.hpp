#pragma once

#include <convene/protocol/base/error.hpp>

#include <string>

namespace CLI { // NOLINT(readability-identifier-naming): not ours
class App;
class ParseError;
} // namespace CLI

namespace convene::cli {

/// Errors of a command line that was parsed in vain: what is wrong, and which
/// help to read. All have the code `usage`.
[[nodiscard]] protocol::error explain_refusal(const CLI::ParseError& failed,
                                              const CLI::App& program);

/// A command that only has others was given none of them, or an unknown one.
[[nodiscard]] protocol::error missing_command(const CLI::App& command);

/// The first argument that nothing takes, with the nearest command or option.
[[nodiscard]] protocol::error unknown_argument(const CLI::App& program);

} // namespace convene::cli
