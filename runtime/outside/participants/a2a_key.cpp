#include <boost/json/array.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/parts.hpp>
#include <convene/runtime/outside/participants/a2a_agent.hpp>
#include <convene/runtime/outside/participants/reserved_headers.hpp>

#include <optional>
#include <utility>

namespace convene::host {
namespace {

namespace json = protocol::json;

using protocol::object_of;
using protocol::text_of;

/// The names of schemes in a message.
constexpr std::size_t ways_bytes_max = 300;
constexpr std::string_view our_ways
  = "; convene has bearer tokens and keys in a header";

/// The header in which a scheme wants its key; nothing: not in a header.
std::optional<http_header> key_header(const json::object& scheme,
                                      const std::string& key) {
  const auto& http = object_of(scheme, "httpAuthSecurityScheme");
  if (same_text(text_of(http, "scheme"), "bearer"))
    return http_header{"Authorization", "Bearer " + key};
  const auto& api_key = object_of(scheme, "apiKeySecurityScheme");
  const auto name = text_of(api_key, "name");
  if (text_of(api_key, "location") != "header" || name.empty()
      || is_reserved_header(name) || same_text(name, "a2a-version"))
    return std::nullopt;
  return http_header{std::string{name}, key};
}

/// How a card wants its callers to identify themselves.
struct wanted_key {
  bool none = false;  ///< nothing is wanted
  http_header header; ///< of the first way that we have; empty name: none
  std::string ways;   ///< the names of the schemes, for messages
};

wanted_key key_wanted_by(const json::object& card, const std::string& key) {
  const auto& schemes = object_of(card, "securitySchemes");
  const auto& ways = protocol::items_of(card, "securityRequirements");
  wanted_key made{.none = ways.empty()};
  const auto tell = [&](std::string_view name, const char* before) {
    if (made.ways.size() < ways_bytes_max)
      made.ways += (made.ways.empty() ? "" : before) + protocol::quote(name);
  };
  const auto add = [&](std::string_view name) {
    tell(name, ", ");
    const auto header = key_header(object_of(schemes, name), key);
    if (header && made.header.name.empty())
      made.header = *header;
  };
  // Without requirements the schemes say what a key is for.
  if (ways.empty())
    for (const auto& each : schemes)
      add(each.key());
  for (const auto& each : ways) {
    const auto* way = each.if_object();
    if (way == nullptr)
      continue;
    const auto& all = object_of(*way, "schemes");
    made.none = made.none || all.empty();
    if (all.size() == 1)
      add(all.begin()->key());
    else
      for (const auto& scheme : all)
        tell(scheme.key(), " and ");
  }
  return made;
}

} // namespace

tl::expected<http_header, card_fault> key_for(const json::object& card,
                                              const std::string& key) {
  const auto fails = [](std::string_view code, std::string message) {
    return tl::unexpected{card_fault{code, std::move(message)}};
  };
  auto wanted = key_wanted_by(card, key);
  if (key.empty() && wanted.none)
    return http_header{};
  if (wanted.header.name.empty() && wanted.ways.empty())
    return fails("agent_security_unsupported",
                 "has no use for a key; leave api_key_env out");
  if (wanted.header.name.empty())
    return fails("agent_security_unsupported",
                 "wants " + wanted.ways + std::string{our_ways});
  if (key.empty())
    return fails("agent_key_missing",
                 "wants " + wanted.ways + "; set api_key_env");
  return std::move(wanted.header);
}

} // namespace convene::host
