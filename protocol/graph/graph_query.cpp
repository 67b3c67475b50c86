#include <convene/protocol/graph/graph_query.hpp>

#include <utility>

namespace convene::protocol {
namespace {

/// All nodes that edges connect a node with.
std::vector<graph_key> neighbours(const project_graph& in,
                                  const graph_key& of) {
  std::vector<graph_key> all;
  for (std::size_t i = 0; i < words_of<graph_edge_kind>.size(); ++i) {
    const auto kind = static_cast<graph_edge_kind>(i);
    for (auto& to : in.targets(kind, of))
      all.push_back(std::move(to));
    for (auto& from : in.sources(kind, of))
      all.push_back(std::move(from));
  }
  return all;
}

std::set<graph_key> within(const project_graph& in, const graph_key& from,
                           std::size_t depth) {
  std::set<graph_key> seen{from};
  std::vector<graph_key> last{from};
  for (std::size_t away = 0; away < depth && !last.empty(); ++away) {
    std::vector<graph_key> next;
    for (const auto& key : last)
      for (auto& each : neighbours(in, key))
        if (seen.insert(each).second)
          next.push_back(std::move(each));
    last = std::move(next);
  }
  return seen;
}

} // namespace

result<project_graph> select(const project_graph& in, const graph_query& what) {
  std::optional<std::set<graph_key>> near;
  if (what.from) {
    if (in.find(*what.from) == nullptr)
      return fail(errc::invalid_document,
                  to_string(*what.from) + " is not in the graph",
                  "node_missing");
    near = within(in, *what.from, what.depth);
  }
  project_graph made;
  for (const auto& [key, members] : in.nodes())
    if ((what.kinds.empty() || what.kinds.contains(key.kind))
        && (!near || near->contains(key)))
      if (auto done = made.add(key, members); !done)
        return fail(std::move(done).error());
  std::vector<graph_edge> edges;
  for (const auto& edge : in.edges())
    if (made.find(edge.from) != nullptr && made.find(edge.to) != nullptr)
      edges.push_back(edge);
  if (auto done = made.connect_all(edges); !done)
    return fail(std::move(done).error());
  return made;
}

} // namespace convene::protocol
