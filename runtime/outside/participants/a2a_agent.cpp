#include <boost/json/array.hpp>
#include <convene/protocol/base/ascii.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/parts.hpp>
#include <convene/runtime/outside/participants/a2a_legacy.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace convene::host {
namespace {

namespace json = protocol::json;

using protocol::action_error;
using protocol::object_of;
using protocol::text_of;

constexpr std::size_t url_bytes_max = 2048;

/// One entry of `supportedInterfaces`.
struct agent_interface {
  std::string_view url;
  std::string_view tenant;
  a2a_binding binding = a2a_binding::http_json;
  bool is_legacy = false;
};

tl::unexpected<card_fault> fault(std::string_view code, std::string message) {
  return tl::unexpected{card_fault{code, std::move(message)}};
}

std::optional<a2a_binding> binding_of(std::string_view word) {
  if (word == "HTTP+JSON")
    return a2a_binding::http_json;
  if (word == "JSONRPC")
    return a2a_binding::json_rpc;
  return std::nullopt;
}

bool is_version(std::string_view text, std::string_view wanted) {
  return text.starts_with(wanted)
         && (text.size() == wanted.size() || text[wanted.size()] == '.');
}

/// The first interface that we can call, of 1.0 if there is one; nothing:
/// `offers` says what there is.
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
    const bool is_legacy = is_version(version, "0.3");
    if (binding && (is_legacy || is_version(version, "1.0"))
        && (!found || (found->is_legacy && !is_legacy)))
      found = {.url = text_of(*item, "url"),
               .tenant = is_legacy ? "" : text_of(*item, "tenant"),
               .binding = *binding,
               .is_legacy = is_legacy};
    if (++shown <= shown_max)
      offers += (offers.empty() ? "" : ", ") + protocol::quote(word) + ' '
                + protocol::quote(version);
  }
  return found;
}

/// Empty: the interface at this URL may be called.
std::string why_not(std::string_view url, const url_origin& card,
                    const host_judge& may) {
  if (url.size() > url_bytes_max)
    return "names an interface whose URL has more than "
           + std::to_string(url_bytes_max) + " bytes";
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

/// Empty: no extension has to be understood.
std::string required_extension(const json::object& card) {
  for (const auto& each :
       protocol::items_of(object_of(card, "capabilities"), "extensions")) {
    const auto* item = each.if_object();
    const auto* required = item ? item->if_contains("required") : nullptr;
    if (required && required->is_bool() && required->get_bool())
      return protocol::quote(text_of(*item, "uri"));
  }
  return {};
}

/// The interface to call, if all that we could call are where we may.
tl::expected<agent_interface, card_fault>
choose_interface(const json::object& card, const url_origin& home,
                 const host_judge& may) {
  const auto& all = protocol::items_of(card, "supportedInterfaces");
  if (all.empty())
    return fault("agent_card_invalid",
                 "has neither supportedInterfaces, as in A2A 1.0, nor url, as "
                 "in 0.3");
  std::string offers;
  const auto chosen = first_usable(all, offers);
  if (!chosen)
    return fault("agent_version_unsupported",
                 "has no interface of version 1.0 or 0.3 that is HTTP+JSON or "
                 "JSONRPC; it has "
                   + (offers.empty() ? "none" : offers));
  for (const auto& each : all) {
    const auto* item = each.if_object();
    if (item == nullptr || !binding_of(text_of(*item, "protocolBinding")))
      continue;
    if (auto why = why_not(text_of(*item, "url"), home, may); !why.empty())
      return fault("agent_host_refused", std::move(why));
  }
  if (chosen->tenant.size() > url_bytes_max)
    return fault("agent_card_invalid", "names a tenant of more than "
                                         + std::to_string(url_bytes_max)
                                         + " bytes");
  if (chosen->binding == a2a_binding::http_json
      && chosen->url.find_first_of("?#") != chosen->url.npos)
    return fault("agent_card_invalid",
                 "has an HTTP+JSON interface whose URL has a query");
  return *chosen;
}

tl::expected<a2a_agent, card_fault>
agent_of(std::string_view text, const url_origin& home, const std::string& key,
         const host_judge& may) {
  auto read = protocol::parse_json(text);
  if (!read)
    return fault("agent_card_invalid",
                 "is not JSON: " + protocol::to_string(read.error()));
  auto* object = read->if_object();
  if (object == nullptr)
    return fault("agent_card_invalid", "is not a JSON object");
  const auto card = modern_card(std::move(*object));
  const auto chosen = choose_interface(card, home, may);
  if (!chosen)
    return tl::unexpected{chosen.error()};
  if (const auto uri = required_extension(card); !uri.empty())
    return fault("agent_extension_required",
                 "requires the extension " + uri + ", which convene lacks");
  auto header = key_for(card, key);
  if (!header)
    return tl::unexpected{std::move(header.error())};
  const auto origin = origin_of(chosen->url).value();
  if (!header->name.empty() && origin != home
      && may(origin) != host_access::with_key)
    return fault("agent_key_refused",
                 "would have the key sent to " + to_string(origin)
                   + "; to allow that, add --allow env=NAME@" + origin.host
                   + ':' + std::to_string(origin.port)
                   + ", with the variable that api_key_env names");
  a2a_agent made{.url = std::string{chosen->url},
                 .origin = to_string(origin),
                 .binding = chosen->binding,
                 .is_legacy = chosen->is_legacy,
                 .tenant = std::string{chosen->tenant},
                 .key = *std::move(header)};
  while (made.binding == a2a_binding::http_json && made.url.ends_with('/'))
    made.url.pop_back();
  return made;
}

} // namespace

tl::expected<a2a_agent, action_error>
read_agent_card(std::string_view text, const std::string& card_url,
                const std::string& key, const host_judge& may) {
  const auto home = origin_of(card_url);
  if (!home)
    return tl::unexpected{action_error{.code = "agent_card_invalid",
                                       .message = home.error().message}};
  auto made = agent_of(text, *home, key, may);
  if (made)
    return *std::move(made);
  return tl::unexpected{action_error{.code = std::string{made.error().code},
                                     .message = "the agent card of "
                                                + to_string(*home) + ' '
                                                + made.error().message}};
}

bool same_text(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    const auto lower = [](char c) {
      return protocol::is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    };
    return lower(x) == lower(y);
  });
}

} // namespace convene::host
