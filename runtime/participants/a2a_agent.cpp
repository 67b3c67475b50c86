#include <boost/json/array.hpp>
#include <convene/protocol/base/ascii.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/participants/a2a_agent.hpp>
#include <convene/runtime/participants/reserved_headers.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace convene::host {
namespace {

namespace json = protocol::json;

using protocol::action_error;
using protocol::object_of;
using protocol::text_of;
using card_error = tl::unexpected<action_error>;

constexpr std::size_t url_bytes_max = 2048;

/// One entry of `supportedInterfaces`.
struct agent_interface {
  std::string_view url;
  std::string_view tenant;
  a2a_binding binding = a2a_binding::http_json;
};

card_error card_fails(std::string_view code, const std::string& card_url,
                      const std::string& message) {
  const auto origin = origin_of(card_url);
  return card_error{
    {.code = std::string{code},
     .message = "the agent card of "
                + (origin ? to_string(*origin) : std::string{"this URL"}) + ' '
                + message}};
}

std::optional<a2a_binding> binding_of(std::string_view word) {
  if (word == "HTTP+JSON")
    return a2a_binding::http_json;
  if (word == "JSONRPC")
    return a2a_binding::json_rpc;
  return std::nullopt;
}

bool is_our_version(std::string_view text) {
  return text == "1.0" || text.starts_with("1.0.");
}

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    const auto lower = [](char c) {
      return protocol::is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    };
    return lower(x) == lower(y);
  });
}

/// The first interface that we can call; nothing: `offers` says what there is.
std::optional<agent_interface> first_usable(const json::array& all,
                                            std::string& offers) {
  constexpr std::size_t shown_max = 5;
  std::optional<agent_interface> found;
  std::size_t shown = 0;
  for (const auto& each : all) {
    const auto* item = each.if_object();
    if (item == nullptr)
      continue;
    const auto word = text_of(*item, "protocolBinding");
    const auto version = text_of(*item, "protocolVersion");
    const auto binding = binding_of(word);
    if (!found && binding && is_our_version(version))
      found = {.url = text_of(*item, "url"),
               .tenant = text_of(*item, "tenant"),
               .binding = *binding};
    if (++shown <= shown_max)
      offers += (offers.empty() ? "" : ", ") + protocol::quote(word) + ' '
                + protocol::quote(version);
  }
  return found;
}

/// Empty: the interface at this URL may be called.
std::string why_not(std::string_view url, const url_origin& card,
                    const host_judge& may) {
  const auto origin = origin_of(url);
  if (!origin)
    return "names an interface whose URL cannot be called: "
           + origin.error().message;
  if (may(*origin) == host_access::refused)
    return "leads to " + to_string(*origin)
           + ", which is not allowed; to allow it, add --allow net="
           + origin->host + ':' + std::to_string(origin->port);
  if (card.scheme == "https" && origin->scheme != "https")
    return "came by https and leads to " + to_string(*origin)
           + ", where nothing is protected";
  return {};
}

/// The header in which a scheme wants its key; nothing: not in a header.
std::optional<http_header> key_header(const json::object& scheme,
                                      const std::string& key) {
  const auto& http = object_of(scheme, "httpAuthSecurityScheme");
  if (same_word(text_of(http, "scheme"), "bearer"))
    return http_header{"Authorization", "Bearer " + key};
  const auto& api_key = object_of(scheme, "apiKeySecurityScheme");
  const auto name = text_of(api_key, "name");
  if (text_of(api_key, "location") != "header" || name.empty()
      || is_reserved_header(name) || same_word(name, "a2a-version"))
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
  const auto& ways = items_of(card, "securityRequirements");
  wanted_key made{.none = ways.empty()};
  const auto add = [&](std::string_view name) {
    made.ways += (made.ways.empty() ? "" : ", ") + protocol::quote(name);
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
        made.ways += (made.ways.empty() ? "" : " and ")
                     + protocol::quote(scheme.key());
  }
  return made;
}

/// Empty: no extension has to be understood.
std::string required_extension(const json::object& card) {
  for (const auto& each :
       items_of(object_of(card, "capabilities"), "extensions")) {
    const auto* item = each.if_object();
    const auto* required = item ? item->if_contains("required") : nullptr;
    if (required && required->is_bool() && required->get_bool())
      return protocol::quote(text_of(*item, "uri"));
  }
  return {};
}

} // namespace

const json::array& items_of(const json::object& from, std::string_view name) {
  static const json::array none;
  const auto* found = from.if_contains(name);
  const auto* items = found == nullptr ? nullptr : found->if_array();
  return items == nullptr ? none : *items;
}

tl::expected<a2a_agent, action_error>
read_agent_card(std::string_view text, const std::string& card_url,
                const std::string& key, const host_judge& may) {
  const auto fails = [&](std::string_view code, const std::string& message) {
    return card_fails(code, card_url, message);
  };
  const auto home = origin_of(card_url);
  if (!home)
    return fails("agent_card_invalid", "has no URL: " + home.error().message);
  const auto read = protocol::parse_json(text);
  if (!read)
    return fails("agent_card_invalid",
                 "is no JSON: " + protocol::to_string(read.error()));
  const auto* card = read->if_object();
  if (card == nullptr)
    return fails("agent_card_invalid", "is no JSON object");
  const auto& interfaces = items_of(*card, "supportedInterfaces");
  if (interfaces.empty())
    return fails(card->contains("protocolVersion") ? "agent_version_unsupported"
                                                   : "agent_card_invalid",
                 "has no supportedInterfaces, which A2A 1.0 requires");
  std::string offers;
  const auto chosen = first_usable(interfaces, offers);
  if (!chosen)
    return fails("agent_version_unsupported",
                 "has no interface of version 1.0 that is HTTP+JSON or "
                 "JSONRPC; it has "
                   + (offers.empty() ? "none" : offers));
  if (chosen->url.size() > url_bytes_max
      || chosen->tenant.size() > url_bytes_max)
    return fails("agent_card_invalid",
                 "has an interface with a URL or tenant of more than "
                   + std::to_string(url_bytes_max) + " bytes");
  for (const auto& each : interfaces)
    if (const auto* item = each.if_object();
        item && binding_of(text_of(*item, "protocolBinding")))
      if (const auto why = why_not(text_of(*item, "url"), *home, may);
          !why.empty())
        return fails("agent_host_refused", why);
  if (const auto uri = required_extension(*card); !uri.empty())
    return fails("agent_extension_required",
                 "requires the extension " + uri + ", which convene lacks");
  const auto origin = origin_of(chosen->url).value();
  a2a_agent made{.url = std::string{chosen->url},
                 .origin = to_string(origin),
                 .binding = chosen->binding,
                 .tenant = std::string{chosen->tenant}};
  if (made.binding == a2a_binding::http_json) {
    if (made.url.find_first_of("?#") != made.url.npos)
      return fails("agent_card_invalid",
                   "has an HTTP+JSON interface whose URL has a query");
    while (made.url.ends_with('/'))
      made.url.pop_back();
  }
  auto wanted = key_wanted_by(*card, key);
  if (key.empty()) {
    if (wanted.none)
      return made;
    return wanted.header.name.empty()
             ? fails("agent_security_unsupported",
                     "wants " + wanted.ways
                       + "; convene has bearer tokens and keys in a header")
             : fails("agent_key_missing",
                     "wants " + wanted.ways + "; set api_key_env");
  }
  if (wanted.header.name.empty())
    return fails("agent_security_unsupported",
                 wanted.ways.empty()
                   ? std::string{"has no use for a key; leave api_key_env out"}
                   : "wants " + wanted.ways
                       + "; convene has bearer tokens and keys in a header");
  if (origin != *home && may(origin) != host_access::named)
    return fails("agent_key_refused",
                 "would have the key sent to " + made.origin
                   + "; to allow that, add --allow net=" + origin.host + ':'
                   + std::to_string(origin.port));
  made.key = std::move(wanted.header);
  return made;
}

} // namespace convene::host
