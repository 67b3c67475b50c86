#pragma once

#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/events/update_kind.hpp>
#include <convene/protocol/graph/graph.hpp>

namespace convene::protocol {

/// One way in which a graph differs from another.
struct graph_difference {
  update_kind kind = update_kind::node_add; ///< never bulk
  graph_key node{};                         ///< of an edge nothing
  json::object members{}; ///< of a node that is added or updated: all, after it
  graph_edge edge{};      ///< of a node nothing

  bool operator==(const graph_difference&) const = default;
};

/// What makes one graph the other, in the order in which it can be done: edges
/// that go, nodes that go, new nodes, changed nodes, new edges; each by its
/// key. Takes time by what the two do not share: a graph and its changed copy
/// share nearly all.
[[nodiscard]] std::vector<graph_difference> compare(const project_graph& before,
                                                    const project_graph& after);

/// What was done to a graph at once.
struct graph_update {
  std::uint64_t update_id = 0; ///< 1, 2, 3, ... without gaps
  timestamp_ms at{};
  update_kind kind = update_kind::bulk;
  std::int64_t node_delta = 0;
  std::int64_t edge_delta = 0;
  std::vector<graph_difference> changes;

  bool operator==(const graph_update&) const = default;
};

/// An update of these changes; its kind is theirs if there is one, else bulk.
[[nodiscard]] graph_update make_update(std::uint64_t update_id, timestamp_ms at,
                                       std::vector<graph_difference> changes);

/// Makes the changes, all or none: a change that does not fit the graph is
/// refused, rules `node_differs` (it is there already), `node_missing`,
/// `edge_missing`, `edge_differs`, and those of `project_graph`.
[[nodiscard]] result<void>
apply_changes(project_graph& to, std::span<const graph_difference> changes);

/// {update_id, at, update_kind, node_delta, edge_delta, changes: [{kind, node,
/// members}, {kind, edge: {kind, from, to}}]}, where a node is `kind:id`.
[[nodiscard]] json::object to_json(const graph_update& update);

/// Reads one back. Rules `required`, `type`, `enum`, `pattern` with the
/// pointer, and `graph_deltas` if the deltas or the kind are not those of the
/// changes.
[[nodiscard]] result<graph_update> read_update(const json::value& from);

} // namespace convene::protocol
