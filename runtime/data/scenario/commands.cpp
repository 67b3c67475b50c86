#include <boost/json/array.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/scenario/commands.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

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

using bad_place = std::optional<protocol::error>;

} // namespace

result<void> check_no_placed_command(const json::object& scenario) {
  const auto is_placed = [](std::string_view word, bool first) {
    return word.starts_with(scenario_word)
           || (first && word.find('/') != word.npos && word.front() != '/');
  };
  const auto check = [&](const json::value& entry,
                         std::string pointer) -> bad_place {
    const auto* object = entry.if_object();
    const auto* command = object == nullptr ? nullptr
                                            : object->if_contains("command");
    if (command == nullptr || !command->is_array())
      return std::nullopt;
    for (std::size_t i = 0; i < command->get_array().size(); ++i)
      if (const auto* text = command->get_array()[i].if_string();
          text && is_placed({text->data(), text->size()}, i == 0))
        return protocol::error{
          .code = errc::invalid_document,
          .message = "names a place in the scenario's folder, and here is "
                     "none: name the program, or its absolute path",
          .pointer = std::move(pointer) + "/command/" + std::to_string(i),
          .rule = "names_file",
          .value = shorten({text->data(), text->size()})};
    return std::nullopt;
  };
  for (const auto* name : {"behaviours", "compensations", "mcp_servers"})
    if (const auto* all = scenario.if_contains(name); all && all->is_object())
      for (const auto& each : all->get_object()) {
        auto pointer = '/' + std::string{name};
        append_to_pointer(pointer, {each.key().data(), each.key().size()});
        if (auto bad = check(each.value(), std::move(pointer)))
          return protocol::fail(*std::move(bad));
      }
  const auto* all = scenario.if_contains("extensions");
  if (all == nullptr || !all->is_array())
    return {};
  for (std::size_t i = 0; i < all->get_array().size(); ++i)
    if (const auto* extension = all->get_array()[i].if_object())
      if (const auto* config = extension->if_contains("config"))
        if (auto bad = check(*config,
                             "/extensions/" + std::to_string(i) + "/config"))
          return protocol::fail(*std::move(bad));
  return {};
}

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
