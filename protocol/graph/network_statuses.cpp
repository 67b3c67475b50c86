#include <convene/protocol/graph/network_statuses.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>
#include <vector>

namespace convene::protocol {
namespace {

namespace json = boost::json;

std::vector<const json::object*> objects_of(const json::object& from,
                                            std::string_view name) {
  std::vector<const json::object*> all;
  const auto* const found = from.if_contains(name);
  if (const auto* const list = found == nullptr ? nullptr : found->if_array())
    for (const auto& each : *list)
      if (const auto* const one = each.if_object())
        all.push_back(one);
  return all;
}

/// A participant is on the nodes that have its id as their name; if there is
/// none, on those of its role.
bool is_on(const json::object& node, const json::object& who, bool named) {
  return named ? text_of(node, "name") == text_of(who, "participant_id")
               : node.contains("role_id")
                   && text_of(node, "role_id") == text_of(who, "role_id");
}

} // namespace

json::object with_statuses(json::object network, const json::object& collab,
                           const std::set<std::string, std::less<>>& lost) {
  auto* const list = network.if_contains("nodes");
  if (list == nullptr || !list->is_array())
    return network;
  std::set<std::string, std::less<>> names;
  for (const auto* node : objects_of(network, "nodes"))
    if (node->contains("name"))
      names.emplace(text_of(*node, "name"));
  bool all_active = true;
  for (auto& each : list->get_array()) {
    auto* const node = each.if_object();
    if (node == nullptr)
      continue;
    std::size_t on_it = 0;
    std::size_t gone = 0;
    for (const auto* who : objects_of(collab, "participants")) {
      const auto id = text_of(*who, "participant_id");
      if (!is_on(*node, *who, names.contains(id)))
        continue;
      ++on_it;
      gone += lost.contains(id) ? 1 : 0;
    }
    if (on_it != 0 && text_of(*node, "status") != "retired")
      (*node)["status"] = gone == on_it ? "unreachable" : "active";
    const auto status = text_of(*node, "status");
    all_active = all_active && (status == "active" || status == "retired");
  }
  if (all_active)
    network["status"] = "active";
  else if (text_of(network, "status") == "active")
    network["status"] = "degraded";
  return network;
}

} // namespace convene::protocol
