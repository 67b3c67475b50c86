#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/parts.hpp>
#include <convene/runtime/data/scenario/commands.hpp>
#include <convene/runtime/data/scenario/extensions.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::host {
namespace {

using namespace convene::protocol;

struct given_extension {
  std::string pointer;
  const json::object* document;
};

std::vector<given_extension> extensions_in(const json::object& scenario) {
  std::vector<given_extension> all;
  const auto& list = items_of(scenario, "extensions");
  for (std::size_t i = 0; i < list.size(); ++i)
    if (const auto* document = list[i].if_object())
      all.push_back({"/extensions/" + std::to_string(i), document});
  return all;
}

tl::unexpected<error> refuse(errc code, std::string rule, std::string pointer,
                             std::string message, std::string_view value) {
  return fail({.code = code,
               .message = std::move(message),
               .pointer = std::move(pointer),
               .rule = std::move(rule),
               .value = shorten(value)});
}

/// One without a status is registered.
bool can_be_used(const given_extension& what) {
  const auto status = text_of(*what.document, "status");
  return status.empty() || status == "registered" || status == "active";
}

result<void> check_usable(const given_extension& what) {
  if (can_be_used(what))
    return {};
  return refuse(errc::activation_refused, "extension_active",
                what.pointer + "/status",
                "only an active Extension is used, and one that ended is not "
                "activated again; register a new one",
                text_of(*what.document, "status"));
}

result<const given_extension*> find(const std::vector<given_extension>& all,
                                    std::string_view named,
                                    const std::string& pointer) {
  std::vector<std::string_view> names;
  for (const auto& each : all) {
    const auto name = text_of(*each.document, "name");
    if (!named.empty()
        && (text_of(*each.document, "extension_id") == named || name == named))
      return &each;
    names.push_back(name);
  }
  return refuse(errc::invalid_document, "extension_unknown",
                pointer + "/extension",
                "the scenario has no Extension with this id or name"
                  + suggest(named, names),
                named);
}

/// What a participant may have in place of the config's: nothing that says what
/// runs, what is reached, or what it gets, since the config is what was
/// approved.
constexpr std::array<std::string_view, 14> own_members{
  "context_tokens",   "limits",  "max_tokens", "parallel_tool_calls",
  "reasoning_effort", "repairs", "reply",      "retries",
  "rounds_max",       "stream",  "system",     "temperature",
  "timeout_ms",       "top_p"};

/// The behaviour that an entry names.
result<json::object> behaviour_of(const json::object& entry,
                                  const std::vector<given_extension>& all,
                                  const std::string& pointer) {
  const auto found = find(all, text_of(entry, "extension"), pointer);
  if (!found)
    return fail(found.error());
  if (auto usable = check_usable(**found); !usable)
    return fail(std::move(usable).error());
  auto made = object_of(*(*found)->document, "config");
  const auto type = text_of(made, "type");
  if (type.empty() || type == "extension")
    return refuse(
      errc::invalid_document, "extension_config", (*found)->pointer + "/config",
      "is not a behavior: it needs the members of one, with its type", type);
  for (const auto& [key, value] : entry) {
    const std::string_view name = key;
    if (name == "type" || name == "extension")
      continue;
    if (std::ranges::find(own_members, name) == own_members.end()) {
      std::string at = pointer;
      append_to_pointer(at, name);
      return refuse(errc::invalid_document, "extension_override", std::move(at),
                    "is for the Extension to say: move it to the config, or "
                    "register another Extension",
                    name);
    }
    made[name] = value;
  }
  return made;
}

/// What an Extension without a type has is the server of its name.
result<void> add_server(json::object& scenario, const given_extension& from) {
  const auto& config = object_of(*from.document, "config");
  if ((!config.contains("command") && !config.contains("url"))
      || config.contains("type") || !can_be_used(from))
    return {};
  auto& servers = scenario["mcp_servers"];
  if (servers.is_null())
    servers.emplace_object();
  auto* all = servers.if_object();
  if (all == nullptr)
    return {}; // the decoder refuses it
  const std::string name{text_of(*from.document, "name")};
  const json::value server = config;
  if (const auto* other = all->if_contains(name); other && *other != server)
    return refuse(errc::invalid_document, "extension_server",
                  from.pointer + "/name",
                  "mcp_servers has another server of this name", name);
  (*all)[name] = server;
  return {};
}

} // namespace

result<void> use_extensions(json::object& scenario) {
  if (auto named = name_servers(scenario); !named)
    return named;
  const auto all = extensions_in(scenario);
  for (const auto& each : all)
    if (auto added = add_server(scenario, each); !added)
      return added;
  auto* behaviours = scenario.if_contains("behaviours");
  if (behaviours == nullptr || !behaviours->is_object())
    return {};
  for (auto& each : behaviours->get_object()) {
    const auto* entry = each.value().if_object();
    if (entry == nullptr || text_of(*entry, "type") != "extension")
      continue;
    std::string pointer = "/behaviours";
    append_to_pointer(pointer, each.key());
    auto made = behaviour_of(*entry, all, pointer);
    if (!made)
      return fail(std::move(made).error());
    each.value() = *std::move(made);
  }
  return {};
}

} // namespace convene::host
