#include <convene/cli/commands/new/scenario_folder.hpp>
#include <convene/cli/common/new_folder.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/base/words.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct new_arguments {
  std::string folder;
  std::string mode{to_word(mode::round_robin)};
  std::string from; ///< a template; empty: the mode's scenario
};

void add_options(const command_line& command, new_arguments& arguments) {
  command.add("NAME", arguments.folder).required();
  const auto words = words_of<mode>;
  const auto mode
    = command.add("--mode", arguments.mode,
                  one_of(std::vector<std::string>{words.begin(), words.end()}));
  command.add("--template", arguments.from, one_of(template_names))
    .excludes(mode);
}

/// The last part of the folder's name, also of "a/b/" and ".".
std::string title_of(const std::filesystem::path& folder) {
  std::error_code ignored;
  auto whole = std::filesystem::absolute(folder, ignored).lexically_normal();
  if (!whole.has_filename())
    whole = whole.parent_path();
  return sanitize_utf8(whole.filename().string());
}

result<int> make_scenario(const new_arguments& arguments,
                          const common_options& common) {
  const std::filesystem::path folder{arguments.folder};
  const auto file = folder / "scenario.json";
  const auto title = title_of(folder);
  const auto made = make_new_folder(folder, "name").and_then([&] {
    return write_scenario_folder(
      folder, arguments.from.empty()
                ? scenario_of_mode(*from_word<mode>(arguments.mode), title)
                : scenario_of_template(arguments.from, title));
  });
  if (!made)
    return fail(made.error());
  json::object report{{"scenario", sanitize_utf8(file.string())}};
  if (arguments.from.empty())
    report["mode"] = arguments.mode;
  else
    report["template"] = arguments.from;
  if (common.json)
    print_json(report);
  else if (!common.quiet)
    print_line("Made " + file.string() + "; to run it: convene run "
               + shell_word(file.string())
               + (arguments.from.empty()
                    ? ""
                    : "\nWhat to try: " + (folder / "README.md").string()));
  return exit_good;
}

} // namespace

void add_new(const command_line& program) {
  program.add<new_arguments>("new", make_scenario, add_options);
}

} // namespace convene::cli
