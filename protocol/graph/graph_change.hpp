#pragma once

#include <convene/protocol/graph/graph.hpp>

#include <cstdint>
#include <vector>

namespace convene::protocol {

/// What makes one graph of another.
struct graph_change {
  project_graph::node_map set; ///< nodes that are added, or have other members
  std::vector<graph_key> removed;
  std::vector<graph_edge> connected;
  std::vector<graph_edge> disconnected;
  std::int64_t node_delta = 0; ///< how many more nodes there are then
  std::int64_t edge_delta = 0;
};

[[nodiscard]] graph_change change_between(const project_graph& before,
                                          const project_graph& after);

/// Makes the change. Refuses what `project_graph` refuses; part of it is made
/// then.
[[nodiscard]] result<void> apply(project_graph& to, const graph_change& what);

/// {set: [{kind, id, members}], removed: [NODE], connected: [{kind, from, to}],
/// disconnected: [{kind, from, to}]}, where a NODE is `kind:id`.
[[nodiscard]] json::object to_json(const graph_change& what);

} // namespace convene::protocol
