#pragma once

#include <convene/protocol/graph/graph.hpp>

namespace convene::protocol {

/// The graph as a document:
/// {format: 1, nodes: [{kind, id, members}], edges: [{kind, from, to}], hash},
/// where `from` and `to` are `kind:id`. Equal graphs give equal documents.
[[nodiscard]] json::object to_json(const project_graph& graph);

/// Reads such a document. Refuses what `project_graph` refuses, a hash that is
/// not the graph's (rule `graph_hash`), and members of other types (`type`,
/// `enum`, `required`), each with its pointer.
[[nodiscard]] result<project_graph> read_graph(const json::value& from);

/// SHA-256 over the nodes and edges in their order, in hexadecimal: equal for
/// equal graphs, wherever and in whatever order they were made.
[[nodiscard]] std::string graph_hash(const project_graph& graph);

/// {kind, from, to}, both as `kind:id`.
[[nodiscard]] json::object to_json(const graph_edge& edge);

/// Reads such an edge. Rules `enum` and `pattern`, with the pointer.
[[nodiscard]] result<graph_edge> read_graph_edge(const json::object& from);

/// A node by `kind:id`; nothing: it is not written like that.
[[nodiscard]] std::optional<graph_key> read_graph_key(std::string_view text);

} // namespace convene::protocol
