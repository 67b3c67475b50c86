#include <convene/session/spec/network.hpp>
#include <convene/session/spec/refusal.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace convene::session {
namespace {

/// How many participants are on nodes of a name or role.
struct presence {
  std::size_t all = 0;
  std::size_t lost = 0;
};

using presences = std::map<std::string_view, presence>;

presence present(const presences& by, const std::optional<std::string>& key) {
  const auto found = key ? by.find(*key) : by.end();
  return found == by.end() ? presence{} : found->second;
}

} // namespace

protocol::result<void> check_network(const spec& what) {
  if (!what.network)
    return {};
  using enum protocol::network_status;
  const auto& network = *what.network;
  if (network.context_id != what.context.context_id)
    return refuse_start(
      "context_binding", "/network/context_id",
      "the Network belongs to another context than the session",
      network.context_id);
  if (network.status == draft || network.status == maintenance
      || network.status == retired)
    return refuse_start(
      "network_status", "/network/status",
      "a session runs only on a Network that is provisioning, "
      "active or degraded",
      to_word(network.status));
  if (network.nodes && network.nodes->size() > network_nodes_max)
    return refuse_start("network_nodes_max", "/network/nodes",
                        "a Network has at most "
                          + std::to_string(network_nodes_max) + " nodes");
  std::set<std::string_view> ids;
  if (network.nodes)
    for (std::size_t i = 0; i < network.nodes->size(); ++i)
      if (!ids.insert((*network.nodes)[i].node_id).second)
        return refuse_start("network_node_unique",
                            "/network/nodes/" + std::to_string(i) + "/node_id",
                            "two nodes have the same id",
                            (*network.nodes)[i].node_id);
  return {};
}

std::optional<protocol::network>
network_after(const protocol::boxed<protocol::network>& given,
              const membership& who) {
  if (!given || !given->nodes)
    return given;
  using protocol::network_status;
  using protocol::node_status;
  auto made = *given;
  presences by_name;
  presences by_role;
  for (const auto& node : *given->nodes)
    if (node.name)
      by_name.try_emplace(*node.name);
  for (const auto& one : who.all()) {
    const auto named = by_name.find(one.id);
    auto& at = named != by_name.end() ? named->second : by_role[one.role];
    ++at.all;
    at.lost += one.lost ? 1 : 0;
  }
  for (auto& node : *made.nodes) {
    const auto named = present(by_name, node.name);
    const auto others = present(by_role, node.role_id);
    const auto on_it = named.all + others.all;
    if (on_it != 0 && node.status != node_status::retired)
      node.status = named.lost + others.lost == on_it ? node_status::unreachable
                                                      : node_status::active;
  }
  const bool all_active = std::ranges::all_of(*made.nodes, [](const auto& one) {
    return one.status == node_status::active
           || one.status == node_status::retired;
  });
  if (all_active)
    made.status = network_status::active;
  else if (made.status == network_status::active)
    made.status = network_status::degraded;
  return made;
}

} // namespace convene::session
