#include <boost/json/array.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/parts.hpp>
#include <convene/runtime/data/scenario/commands.hpp>

#include <array>
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
constexpr std::string_view servers_alias = "mcpServers";

bool is_placed(std::string_view word, bool first) {
  return word.starts_with(scenario_word)
         || (first && word.find('/') != word.npos && word.front() != '/');
}

/// Calls `f(text, is_program, pointer)` with each text of an entry's command
/// and arguments, until it returns false. As a text, servers alone have one.
template <class Entry, class F>
void each_word(Entry& from, bool is_server, F f) {
  auto* entry = from.if_object();
  if (entry == nullptr)
    return;
  auto* command = entry->if_contains("command");
  if (command != nullptr && is_server && command->is_string()) {
    if (!f(command->get_string(), true, std::string{"/command"}))
      return;
  }
  for (const auto* name : {"command", "args"}) {
    auto* list = entry->if_contains(name);
    if (list == nullptr || !list->is_array())
      continue;
    auto& items = list->get_array();
    for (std::size_t i = 0; i < items.size(); ++i)
      if (auto* text = items[i].if_string();
          text
          && !f(*text, i == 0 && list == command,
                '/' + std::string{name} + '/' + std::to_string(i)))
        return;
  }
}

void place_command(json::value& from, const std::string& folder,
                   bool is_server) {
  each_word(from, is_server,
            [&](json::string& text, bool is_program, const std::string&) {
              const std::string word{text.data(), text.size()};
              if (word.starts_with(scenario_word))
                text = folder + word.substr(scenario_word.size());
              else if (is_placed(word, is_program))
                text = folder + '/' + word;
              return true;
            });
}

/// The members of a scenario whose entries have commands.
constexpr std::array<std::string_view, 4> commanding{
  "behaviours", "compensations", "mcp_servers", servers_alias};

bool has_servers(std::string_view member) {
  return member == "mcp_servers" || member == servers_alias;
}

/// An Extension without a type is a server.
bool is_server(const json::value& config) {
  const auto* members = config.if_object();
  return members != nullptr && !members->contains("type");
}

using bad_place = std::optional<protocol::error>;

} // namespace

result<void> check_no_placed_command(const json::object& scenario) {
  const auto check = [&](const json::value& entry, std::string pointer,
                         bool server) -> bad_place {
    bad_place bad;
    each_word(
      entry, server,
      [&](const json::string& text, bool is_program, const std::string& at) {
        const std::string_view word{text.data(), text.size()};
        if (is_placed(word, is_program))
          bad = protocol::error{.code = errc::invalid_document,
                                .message
                                = "names a place in the scenario's folder, and "
                                  "here is none: name the program, or its "
                                  "absolute path",
                                .pointer = pointer + at,
                                .rule = "names_file",
                                .value = shorten(word)};
        return !bad;
      });
    return bad;
  };
  for (const auto name : commanding)
    if (const auto* all = scenario.if_contains(name); all && all->is_object())
      for (const auto& each : all->get_object()) {
        auto pointer = '/' + std::string{name};
        append_to_pointer(pointer, {each.key().data(), each.key().size()});
        if (auto bad = check(each.value(), std::move(pointer),
                             has_servers(name)))
          return protocol::fail(*std::move(bad));
      }
  const auto& all = items_of(scenario, "extensions");
  for (std::size_t i = 0; i < all.size(); ++i)
    if (const auto* extension = all[i].if_object())
      if (const auto* config = extension->if_contains("config"))
        if (auto bad = check(*config,
                             "/extensions/" + std::to_string(i) + "/config",
                             is_server(*config)))
          return protocol::fail(*std::move(bad));
  return {};
}

void place_commands(json::object& scenario, const fs::path& folder) {
  std::error_code failed;
  auto real = fs::canonical(folder.empty() ? fs::path{"."} : folder, failed);
  if (failed)
    real = folder;
  for (const auto name : commanding)
    if (auto* all = scenario.if_contains(name); all && all->is_object())
      for (auto& each : all->get_object())
        place_command(each.value(), real.string(), has_servers(name));
  if (auto* all = scenario.if_contains("extensions"); all && all->is_array())
    for (auto& each : all->get_array())
      if (auto* extension = each.if_object())
        if (auto* config = extension->if_contains("config"))
          place_command(*config, real.string(), is_server(*config));
}

result<void> name_servers(json::object& scenario) {
  const auto* written = scenario.if_contains(servers_alias);
  if (written == nullptr)
    return {};
  if (scenario.contains("mcp_servers"))
    return protocol::fail({.code = errc::invalid_document,
                           .message = "is another name of mcp_servers; put all "
                                      "servers into one of them",
                           .pointer = '/' + std::string{servers_alias},
                           .rule = "mcp_servers"});
  json::value servers = *written;
  scenario.erase(servers_alias);
  scenario["mcp_servers"] = std::move(servers);
  return {};
}

} // namespace convene::host
