#pragma once

#include <convene/protocol/graph/graph.hpp>

#include <optional>

namespace convene::protocol {

/// Which part of a graph is wanted.
struct graph_query {
  std::set<graph_node_kind> kinds; ///< empty: all
  std::optional<graph_key> from;   ///< with what is near it; else everything
  std::size_t depth = 1;           ///< how many edges away, in any direction
};

/// The nodes that are wanted and the edges between them. A node that is not of
/// the wanted kinds is passed through on the way. Rule `node_missing` if there
/// is no node `from`.
[[nodiscard]] result<project_graph> select(const project_graph& in,
                                           const graph_query& what);

} // namespace convene::protocol
