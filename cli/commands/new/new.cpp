#include <convene/cli/commands/new/scenario_scaffold.hpp>
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
};

void add_options(const command_line& command, new_arguments& arguments) {
  command.add("NAME", arguments.folder).required();
  const auto words = words_of<mode>;
  command.add("--mode", arguments.mode,
              one_of(std::vector<std::string>{words.begin(), words.end()}));
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
  const auto made = make_new_folder(folder, "name").and_then([&] {
    return host::write_file(file,
                            scenario_scaffold(*from_word<mode>(arguments.mode),
                                              title_of(folder)));
  });
  if (!made)
    return fail(made.error());
  if (common.json)
    print_json(json::object{{"scenario", sanitize_utf8(file.string())},
                            {"mode", arguments.mode}});
  else if (!common.quiet)
    print_line("Made " + file.string() + "; to run it: convene run "
               + shell_word(file.string()));
  return exit_good;
}

} // namespace

void add_new(const command_line& program) {
  program.add<new_arguments>("new", make_scenario, add_options);
}

} // namespace convene::cli
