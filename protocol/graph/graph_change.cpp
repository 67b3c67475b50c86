#include <convene/protocol/graph/graph_change.hpp>

#include <algorithm>
#include <iterator>

namespace convene::protocol {
namespace {

json::array edges_of_change(const std::vector<graph_edge>& all) {
  json::array made;
  for (const auto& edge : all)
    made.push_back({{"kind", to_word(edge.kind)},
                    {"from", to_string(edge.from)},
                    {"to", to_string(edge.to)}});
  return made;
}

std::int64_t growth(std::size_t before, std::size_t after) {
  return static_cast<std::int64_t>(after) - static_cast<std::int64_t>(before);
}

} // namespace

graph_change change_between(const project_graph& before,
                            const project_graph& after) {
  graph_change made{
    .node_delta = growth(before.nodes().size(), after.nodes().size()),
    .edge_delta = growth(before.edges().size(), after.edges().size())};
  for (const auto& [key, members] : after.nodes()) {
    const auto* const was = before.find(key);
    if (was == nullptr || *was != members)
      made.set.emplace(key, members);
  }
  for (const auto& [key, members] : before.nodes())
    if (after.find(key) == nullptr)
      made.removed.push_back(key);
  std::ranges::set_difference(after.edges(), before.edges(),
                              std::back_inserter(made.connected));
  std::ranges::set_difference(before.edges(), after.edges(),
                              std::back_inserter(made.disconnected));
  return made;
}

result<void> apply(project_graph& to, const graph_change& what) {
  for (const auto& edge : what.disconnected)
    to.disconnect(edge);
  for (const auto& key : what.removed)
    if (auto done = to.remove(key); !done)
      return done;
  for (const auto& [key, members] : what.set)
    if (auto done = to.find(key) == nullptr ? to.add(key, members)
                                            : to.update(key, members);
        !done)
      return done;
  for (const auto& edge : what.connected)
    if (auto done = to.connect(edge); !done)
      return done;
  return {};
}

json::object to_json(const graph_change& what) {
  json::array set;
  for (const auto& [key, members] : what.set)
    set.push_back(
      {{"kind", to_word(key.kind)}, {"id", key.id}, {"members", members}});
  json::array removed;
  for (const auto& key : what.removed)
    removed.emplace_back(to_string(key));
  return {{"set", std::move(set)},
          {"removed", std::move(removed)},
          {"connected", edges_of_change(what.connected)},
          {"disconnected", edges_of_change(what.disconnected)}};
}

} // namespace convene::protocol
