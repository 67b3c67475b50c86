#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace convene::cli {

/// What the help says of an option.
struct option_usage {
  std::string names; ///< "--quiet,-q"
  std::string value; ///< what stands for its value; empty: a flag has none
  std::string about;
};

/// What the help says of a command.
struct command_usage {
  std::string about;
  std::string group; ///< of the program's commands; those of a group have none
  std::string footer;
  std::map<std::string, option_usage, std::less<>> options; ///< by first name
};

/// What the help says, read from texts such as cli/commands/run/usage.txt:
///
///     = run, resume (Run)
///     What these commands do, over as many lines as it takes
///
///       --option,-o VALUE
///         What it is for
///
///     Example: from here on as it stands
///
/// `(Run)` is the group of the commands, if they have one here. `*` stands for
/// all commands, and for the program itself.
class usage_book {
public:
  explicit usage_book(std::string_view text);

  /// Both throw std::logic_error for what no text describes. A command is named
  /// with those above it: "keys new".
  [[nodiscard]] const command_usage& command(std::string_view path) const;
  [[nodiscard]] const option_usage& option(std::string_view path,
                                           std::string_view name) const;

  /// All commands but the program itself, and the first names of the options
  /// that a command has, those of every command among them; for an empty path
  /// those of all commands.
  [[nodiscard]] std::vector<std::string> command_names() const;
  [[nodiscard]] std::vector<std::string>
  option_names(std::string_view path) const;

private:
  std::map<std::string, command_usage, std::less<>> commands_;
};

/// All files usage.txt of cli/, one behind the other.
[[nodiscard]] std::string_view usage_text() noexcept;

} // namespace convene::cli
