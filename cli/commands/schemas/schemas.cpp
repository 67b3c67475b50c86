#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/schemas/catalog.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct schema_arguments {
  std::string name;
};

json::value text_or_null(std::string_view text) {
  return text.empty() ? json::value{} : json::value(text);
}

result<int> list_schemas(const schema_arguments&,
                         const common_options& common) {
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

result<int> show_schema(const schema_arguments& asked, const common_options&) {
  const auto* file = schemas::find(asked.name);
  if (file == nullptr)
    return fail({.code = errc::usage,
                 .message = "there is no schema \"" + shorten(asked.name) + '"'
                            + suggest_embedded(asked.name)
                            + "; see convene schemas list",
                 .rule = "unknown_schema"});
  print(file->text);
  return exit_good;
}

} // namespace

void add_schemas(const command_line& program) {
  const auto command = program.add_group("schemas");
  command.add_common();
  command.require_command();
  command.add<schema_arguments>("list", list_schemas,
                                [](const command_line&, schema_arguments&) {});
  command.add<schema_arguments>("show", show_schema,
                                [](const command_line& shows,
                                   schema_arguments& arguments) {
                                  shows.add("NAME", arguments.name).required();
                                });
}

} // namespace convene::cli
