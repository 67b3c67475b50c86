#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/schemas/catalog.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace convene::cli {
namespace {

using namespace convene::protocol;

json::value text_or_null(std::string_view text) {
  return text.empty() ? json::value{} : json::value(text);
}

int list_schemas(const common_options& common) {
  const auto files = schemas::all();
  if (common.json) {
    json::array all;
    for (const auto& file : files)
      all.push_back({{"name", schemas::name(file)},
                     {"path", file.path},
                     {"id", text_or_null(file.id)}});
    print_json(json::object{{"schemas", std::move(all)}});
    return exit_good;
  }
  std::size_t longest = 0;
  for (const auto& file : files)
    longest = std::max(longest, schemas::name(file).size());
  for (const auto& file : files)
    print(fmt::format("{:<{}}  {}\n", schemas::name(file), longest, file.path));
  return exit_good;
}

int show_schema(const std::string& name, const common_options& common) {
  const auto* file = schemas::find(name);
  if (file == nullptr)
    return report({.code = errc::usage,
                   .message = "there is no schema \"" + shorten(name) + '"'
                              + suggest_embedded(name)
                              + "; see convene schemas list",
                   .rule = "unknown_schema"},
                  common.json);
  print(file->text);
  return exit_good;
}

} // namespace

void add_schemas(CLI::App& program, common_options& common, action& chosen) {
  auto& command = *program.add_subcommand("schemas",
                                          "Lists and shows the schemas");
  add_common(command, common);
  command.require_subcommand(1);
  command.footer("Example: convene schemas list\n"
                 "         convene schemas show mplp-collab --json");

  auto& lists = *command.add_subcommand("list", "All schemas and their data");
  add_common(lists, common);
  lists.footer("Example: convene schemas list --json");
  lists.callback([&common, &chosen] {
    chosen = [&common] { return list_schemas(common); };
  });

  auto& shows = *command.add_subcommand("show", "Prints one");
  auto name = std::make_shared<std::string>();
  shows
    .add_option("NAME", *name,
                "As in the list, or without prefix (plan), a path or an $id")
    ->required();
  add_common(shows, common);
  shows.footer("Example: convene schemas show mplp-collab");
  shows.callback([name, &common, &chosen] {
    chosen = [name, &common] { return show_schema(*name, common); };
  });
}

} // namespace convene::cli
