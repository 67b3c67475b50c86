#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <convene/cli/commands/new/scenario_folder.hpp>
#include <convene/cli/commands/new/scenario_scaffold.hpp>
#include <convene/cli/commands/new/template_files.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/schemas/catalog.hpp>

#include <system_error>

namespace convene::cli {
namespace {

using namespace convene::protocol;

constexpr std::string_view editor_settings = R"({
  "files.associations": {"scenario.json": "jsonc"},
  "json.schemas": [
    {"fileMatch": ["/scenario.json", "/scenario.jsonc"], "url": "./.vscode/convene-scenario.schema.json"}
  ],
  "yaml.schemas": {"./.vscode/convene-scenario.schema.json": ["/scenario.yaml", "/scenario.yml"]}
}
)";

} // namespace

std::vector<folder_content> scenario_of_mode(mode mode,
                                             std::string_view title) {
  return {{"scenario.json", scenario_scaffold(mode, title)}};
}

std::vector<folder_content> scenario_of_template(std::string_view name,
                                                 std::string_view title) {
  constexpr std::string_view place = "@TITLE@";
  const auto quoted = boost::json::serialize(boost::json::string{title});
  const auto folder = std::string{name} + '/';
  std::vector<folder_content> made;
  for (const auto& [path, text] : template_files()) {
    if (!path.starts_with(folder))
      continue;
    auto& file = made.emplace_back(std::string{path.substr(folder.size())},
                                   std::string{text});
    if (const auto at = file.text.find(place); at != file.text.npos)
      file.text.replace(at, place.size(), quoted);
  }
  return made;
}

result<void> write_scenario_folder(const std::filesystem::path& folder,
                                   const std::vector<folder_content>& files) {
  const auto editor = folder / ".vscode";
  std::error_code failed;
  host::create_private(editor, failed);
  if (failed)
    return fail(
      host::file_error(errc::io_failed, editor, "cannot be created", failed));
  for (const auto& [name, text] : files)
    if (auto done = host::write_file(folder / name, text); !done)
      return done;
  return host::write_file(editor / "settings.json", editor_settings)
    .and_then([&] {
      return host::write_file(editor / "convene-scenario.schema.json",
                              schemas::find("convene-scenario")->text);
    });
}

} // namespace convene::cli
