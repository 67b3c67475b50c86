#include <convene/cli/commands/new/scenario_scaffold.hpp>
#include <convene/cli/commands/simulate/simulation_report.hpp>
#include <convene/cli/common/new_folder.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/base/words.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct new_arguments {
  std::string folder;
  std::string mode{to_word(mode::round_robin)};
};

/// The last part of the folder's name, also of "a/b/" and ".".
std::string title_of(const std::filesystem::path& folder) {
  std::error_code ignored;
  auto whole = std::filesystem::absolute(folder, ignored).lexically_normal();
  if (!whole.has_filename())
    whole = whole.parent_path();
  return sanitize_utf8(whole.filename().string());
}

int make_scenario(const new_arguments& arguments,
                  const common_options& common) {
  const std::filesystem::path folder{arguments.folder};
  const auto file = folder / "scenario.json";
  const auto made = make_new_folder(folder, "name").and_then([&] {
    return host::write_file(file,
                            scenario_scaffold(*from_word<mode>(arguments.mode),
                                              title_of(folder)));
  });
  if (!made)
    return report(made.error(), common.json);
  if (common.json)
    print_json(json::object{{"scenario", sanitize_utf8(file.string())},
                            {"mode", arguments.mode}});
  else if (!common.quiet)
    print(neutral("Made " + file.string() + "; to run it: convene run "
                  + shell_word(file.string()))
          + '\n');
  return exit_good;
}

} // namespace

void add_new(CLI::App& program, common_options& common, action& chosen) {
  auto& command = *program.add_subcommand(
    "new", "Makes a scenario to begin with, which runs as it is");
  auto arguments = std::make_shared<new_arguments>();
  command
    .add_option("NAME", arguments->folder,
                "Folder for the scenario.json, new or empty; its name becomes "
                "the session's title")
    ->required()
    ->option_text(" ");
  const auto words = words_of<mode>;
  command
    .add_option("--mode", arguments->mode,
                "broadcast, round_robin, orchestrated, swarm or pair. Default "
                "round_robin")
    ->check(one_of(std::vector<std::string>{words.begin(), words.end()}))
    ->option_text("MODE");
  add_common(command, common);
  command.footer("Example: convene new review --mode pair\n"
                 "         convene run review/scenario.json\n"
                 "Exit codes: 0 made; 2 the folder is in use; 3 it cannot be "
                 "written.");
  command.callback([arguments, &common, &chosen] {
    chosen = [arguments, &common] { return make_scenario(*arguments, common); };
  });
}

} // namespace convene::cli
