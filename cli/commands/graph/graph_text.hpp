#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/graph/graph.hpp>

#include <string>

namespace convene::cli {

/// Nodes of a drawn graph; nobody can read more, and viewers give up. Rule
/// `graph_nodes_drawn_max`.
inline constexpr std::size_t graph_nodes_drawn_max = 2'000;

/// The graph as a Mermaid flowchart. Everything from outside is made neutral
/// and escaped: no text can end a line or become syntax.
[[nodiscard]] protocol::result<std::string>
to_mermaid(const protocol::project_graph& graph);

/// The same for Graphviz.
[[nodiscard]] protocol::result<std::string>
to_dot(const protocol::project_graph& graph);

/// How many nodes and edges of each kind there are, a line each, and the hash.
[[nodiscard]] std::string graph_summary(const protocol::project_graph& graph);

} // namespace convene::cli
