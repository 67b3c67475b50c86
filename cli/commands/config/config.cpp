#include <boost/json/serialize.hpp>
#include <convene/cli/common/apply_settings.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/postgres/postgres_url.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct config_arguments {};

void add_options(const command_line&, config_arguments&) {
  // It has only those of every command.
}

/// All that count for some command, in the order of the files.
std::vector<const setting*> effective(const std::vector<setting>& all) {
  std::vector<const setting*> made;
  for (const auto& one : all) {
    const auto for_command = settings_for(all, one.command);
    if (std::ranges::find(for_command, &one) != for_command.end())
      made.push_back(&one);
  }
  return made;
}

json::array files_of(const settings_files& files) {
  json::array made;
  for (const auto& file : {files.own, files.of_folder}) {
    std::error_code failed;
    if (!file.empty())
      made.push_back({{"file", sanitize_utf8(file.string())},
                      {"exists", std::filesystem::exists(file, failed)}});
  }
  return made;
}

void print_files(const json::array& files) {
  for (const auto& one : files)
    print_line(fmt::format("{}{}", std::string_view{one.at("file").as_string()},
                           one.at("exists").as_bool() ? "" : " (none)"));
}

/// A URL of a database has a password, perhaps.
json::value shown_value(const json::value& value) {
  const auto* text = value.if_string();
  if (text == nullptr || !host::is_postgres_url(*text))
    return value;
  const auto shown = host::shown_postgres_url(std::string{*text});
  return json::string{shown ? *shown : "postgres://..."};
}

result<int> config(const config_arguments&, const common_options& common) {
  const auto files = usual_settings_files();
  result<std::vector<setting>> all;
  if (!common.no_config)
    all = read_settings(files, usage_book{usage_text()});
  if (!all)
    return fail(all.error());
  json::array shown;
  for (const auto* one : effective(*all)) {
    if (!common.json)
      print_line(fmt::format("{}:{}:{}: {}{}{} = {}", one->place.file,
                             one->place.line, one->place.column, one->command,
                             one->command.empty() ? "" : ": ", one->name,
                             json::serialize(shown_value(one->value))));
    shown.push_back({{"command", one->command},
                     {"name", one->name},
                     {"value", shown_value(one->value)},
                     {"file", sanitize_utf8(one->place.file)},
                     {"line", one->place.line},
                     {"column", one->place.column}});
  }
  if (common.json)
    print_json(
      json::object{{"files", files_of(files)}, {"settings", std::move(shown)}});
  else if (shown.empty() && !common.quiet)
    print_files(files_of(files));
  return exit_good;
}

} // namespace

void add_config(const command_line& program) {
  program.add<config_arguments>("config", config, add_options);
}

} // namespace convene::cli
