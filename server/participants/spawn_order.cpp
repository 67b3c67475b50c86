#include <convene/actors/behaviours/node_place.hpp>
#include <convene/protocol/base/hex.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/participants/spawn_order.hpp>
#include <convene/server/participants/turn_message.hpp>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

namespace convene::server {
namespace {

namespace json = protocol::json;

using protocol::fail;

tl::unexpected<protocol::error> unreadable(std::string_view member) {
  return fail(protocol::errc::invalid_document,
              "the order of a participant has no valid \"" + std::string{member}
                + '"',
              "node_message");
}

/// JSON has no room for all of them as numbers.
bool read_seed(std::string_view text, std::uint64_t& into) {
  const auto* const end = text.data() + text.size();
  const auto [at, failed] = std::from_chars(text.data(), end, into);
  return failed == std::errc{} && at == end;
}

} // namespace

json::object encode(const spawn_order& what) {
  const auto& of = what.settings;
  return {{"convene", "1"},
          {"node",
           {{"name", what.by.name},
            {"boot_id", what.by.boot_id},
            {"version", what.by.version},
            {"schemas", what.by.schemas}}},
          {"key", what.key},
          {"session", encode_session(what.about)},
          {"participant_id", what.who().participant_id},
          {"behaviour", of.behaviours.at(what.who().participant_id)},
          {"mcp_servers", of.mcp_servers},
          {"seed", std::to_string(of.seed.value_or(0))},
          {"rounds", of.options.rounds.value_or(1)},
          {"retries", of.options.retries}};
}

protocol::result<spawn_order> decode_spawn(const json::value& from) {
  const auto* const all = from.if_object();
  if (all == nullptr)
    return unreadable("convene");
  const auto& node = protocol::object_of(*all, "node");
  spawn_order made{
    .by = {.name = std::string{protocol::text_of(node, "name")},
           .boot_id = std::string{protocol::text_of(node, "boot_id")},
           .version = std::string{protocol::text_of(node, "version")},
           .schemas = std::string{protocol::text_of(node, "schemas")}},
    .key = std::string{protocol::text_of(*all, "key")}};
  if (!protocol::is_lower_hex(made.key, key_digits))
    return unreadable("key");
  auto about = decode_session(protocol::object_of(*all, "session"));
  if (!about)
    return fail(std::move(about).error());
  made.about = *std::move(about);
  const auto id = protocol::text_of(*all, "participant_id");
  const auto who = std::ranges::find(made.about.participants, id,
                                     &protocol::participant::participant_id);
  const auto* const behaviour = all->if_contains("behaviour");
  if (who == made.about.participants.end())
    return unreadable("participant_id");
  if (behaviour == nullptr || !behaviour->is_object()
      || actors::names_node(*behaviour))
    return unreadable("behaviour");
  auto& to = made.settings;
  std::uint64_t seed = 0;
  const auto rounds = protocol::integer_of(*all, "rounds");
  const auto retries = protocol::integer_of(*all, "retries");
  if (!read_seed(protocol::text_of(*all, "seed"), seed))
    return unreadable("seed");
  if (!rounds || *rounds < 0)
    return unreadable("rounds");
  if (!retries || *retries < 0)
    return unreadable("retries");
  to.collab.collab_id = made.about.session_id;
  to.collab.participants.push_back(*who);
  to.behaviours[id] = *behaviour;
  to.mcp_servers = protocol::object_of(*all, "mcp_servers");
  to.seed = seed;
  to.options.rounds = *rounds;
  to.options.retries = *retries;
  return made;
}

} // namespace convene::server
