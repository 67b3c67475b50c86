#include <convene/cli/commands/completions/shell_scripts.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>

#include <memory>
#include <string>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct completions_arguments {
  std::string shell;
  command_line program; ///< declares all commands
};

void add_options(const command_line& command,
                 completions_arguments& arguments) {
  command.add("SHELL", arguments.shell, one_of({"bash", "zsh", "fish"}))
    .required();
}

result<int> print_completions(const completions_arguments& arguments,
                              const common_options& common) {
  const auto table = arguments.program.whole_table();
  const auto script = arguments.shell == "bash"  ? bash_script(table)
                      : arguments.shell == "zsh" ? zsh_script(table)
                                                 : fish_script(table);
  if (common.json)
    print_json(json::object{{"shell", arguments.shell}, {"script", script}});
  else
    print(script);
  return exit_good;
}

} // namespace

void add_completions(const command_line& program) {
  program.add("completions", print_completions, add_options,
              std::make_shared<completions_arguments>(
                completions_arguments{.program = program}));
}

} // namespace convene::cli
