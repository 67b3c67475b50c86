#include <boost/json/array.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <convene/runtime/scenario/commands.hpp>

#include <string>
#include <string_view>
#include <system_error>

namespace convene::host {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

constexpr std::string_view scenario_word = "${scenario}";

void place_command(json::value& from, const std::string& folder) {
  auto* entry = from.if_object();
  auto* command = entry == nullptr ? nullptr : entry->if_contains("command");
  if (command == nullptr || !command->is_array())
    return;
  bool first = true;
  for (auto& each : command->get_array()) {
    if (auto* const text = each.if_string()) {
      const std::string_view word{text->data(), text->size()};
      if (word.starts_with(scenario_word))
        *text = folder + std::string{word.substr(scenario_word.size())};
      else if (first && word.find('/') != word.npos && word.front() != '/')
        *text = folder + '/' + std::string{word};
    }
    first = false;
  }
}

} // namespace

void place_commands(json::object& scenario, const fs::path& folder) {
  std::error_code failed;
  auto real = fs::canonical(folder.empty() ? fs::path{"."} : folder, failed);
  if (failed)
    real = folder;
  for (const auto* name : {"behaviours", "compensations", "mcp_servers"})
    if (auto* all = scenario.if_contains(name); all && all->is_object())
      for (auto& each : all->get_object())
        place_command(each.value(), real.string());
  if (auto* all = scenario.if_contains("extensions"); all && all->is_array())
    for (auto& each : all->get_array())
      if (auto* extension = each.if_object())
        if (auto* config = extension->if_contains("config"))
          place_command(*config, real.string());
}

} // namespace convene::host
