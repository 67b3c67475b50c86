#pragma once

#include <convene/cli/usage/usage_book.hpp>
#include <convene/protocol/base/error.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): not ours
class App;
class Option;
} // namespace CLI

namespace convene::cli {

struct command_table;

/// What every command understands.
struct common_options {
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  bool no_color = false;
  bool no_config = false;
  std::string log_level = "warn";
  unsigned threads = 0; ///< 0: all cores
};

/// The group of the options that every command understands, in its help.
inline constexpr const char* common_group = "Common options";

/// A command that has been chosen, with its options: carries it out. Returns
/// the exit code, or an error to report.
using action = std::function<protocol::result<int>()>;

/// A check for options: of what was given it says what is wrong; empty:
/// nothing.
using option_check = std::function<std::string(const std::string&)>;

/// For a whole number within bounds. One that the library would read as another
/// one (-1, 1e3, 2^64) is refused.
[[nodiscard]] option_check
whole_number(std::uint64_t least = 0,
             std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

/// For one of these words, which completions offer.
[[nodiscard]] option_check one_of(std::vector<std::string> words);

/// The words of `one_of` in the name of an option's type; empty: it has none.
[[nodiscard]] std::vector<std::string> words_in(std::string_view type_name);

/// An option that was declared.
class declared_option {
public:
  explicit declared_option(CLI::Option& what) : what_{&what} {}

  declared_option required() const;
  declared_option needs(declared_option other) const;
  declared_option excludes(declared_option other) const;

  /// Takes several values, with commas between them.
  declared_option with_commas() const;

private:
  friend class command_line;
  CLI::Option* what_;
};

/// Declares what the program, or one of its commands, is called with. The words
/// for it are in usage.txt.
class command_line {
public:
  /// All of them must outlive the parsing and the action.
  command_line(CLI::App& app, const usage_book& book, common_options& common,
               action& chosen)
    : app_{&app}, book_{&book}, common_{&common}, chosen_{&chosen} {}

  /// Declares an option by its first name. A bool is a flag, a vector takes a
  /// value each time the option is given. A name without dashes is that of an
  /// argument by position.
  template <class T>
  declared_option
  add(const std::string& name, T& into, option_check check = {}) const;

  /// Declares a command with the common options behind its own. It is carried
  /// out by `perform`, unless one of its own commands was chosen.
  template <class Arguments>
  command_line
  add(std::string name,
      protocol::result<int> (*perform)(const Arguments&, const common_options&),
      void (*declare)(const command_line&, Arguments&),
      std::shared_ptr<Arguments> arguments
      = std::make_shared<Arguments>()) const {
    auto made = add_group(std::move(name));
    declare(made, *arguments);
    made.add_common();
    made.on_chosen([arguments, perform, common = common_] {
      return perform(*arguments, *common);
    });
    return made;
  }

  /// Declares a command that only has others.
  command_line add_group(std::string name) const;
  void require_command() const;

  /// Declares the common options.
  void add_common() const;

  /// The option of that name, which has been declared.
  [[nodiscard]] declared_option operator[](const std::string& name) const;

  /// Refuses the option beside this command.
  void excludes(declared_option other) const;

  /// All that has been declared for the program.
  [[nodiscard]] command_table whole_table() const;

  /// Makes all options of a command and of its subcommands refuse an empty
  /// value, which would count as not given.
  void refuse_empty_values() const;

private:
  void on_chosen(action what) const;

  CLI::App* app_;
  const usage_book* book_;
  common_options* common_;
  action* chosen_;
  std::string path_; ///< "keys new"; empty: the program
};

/// Declares --fail-on: what makes a command fail whose sessions completed.
void add_fail_on(const command_line& command, std::string& what);

/// Declares one command of the program. Each folder <name> of cli/commands/
/// defines `add_<name>` with this signature.
using add_command = void(const command_line& program);

} // namespace convene::cli
