#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/words.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace convene::protocol {

namespace json = boost::json;

/// What a node of the project graph stands for (MPLP 1.0, project semantic
/// graph): the objects of the ten modules, their parts, and shared resources.
enum class graph_node_kind : std::uint8_t {
  context,
  role,
  plan,
  step,
  confirm,
  decision,
  trace,
  segment,
  dialog,
  message,
  collab,
  participant,
  extension,
  core,
  module_entry,
  network,
  network_node,
  resource
};
CONVENE_WORDS(graph_node_kind, "context", "role", "plan", "step", "confirm",
              "decision", "trace", "segment", "dialog", "message", "collab",
              "participant", "extension", "core", "module", "network",
              "network_node", "resource");

/// How two nodes are related; the comment says from what to what.
enum class graph_edge_kind : std::uint8_t {
  has_context, ///< a module's object to its Context
  contains,    ///< an object to its part
  depends_on,  ///< a step to a step of its plan that comes before
  assigned_to, ///< a step, participant or network node to a Role
  traces,      ///< a Trace to its Plan
  confirms,    ///< a Confirm to what it is about
  decided_by,  ///< a decision to a Role
  handoff,     ///< a participant to the one that got a turn of its
  produces,    ///< a step to a resource that one of its turns wrote
  claims       ///< a participant to a resource that it holds
};
CONVENE_WORDS(graph_edge_kind, "HAS_CONTEXT", "CONTAINS", "DEPENDS_ON",
              "ASSIGNED_TO", "TRACES", "CONFIRMS", "DECIDED_BY", "HANDOFF",
              "PRODUCES", "CLAIMS");

/// Names a node. Ids are unique within a kind; that of a part is `part_id`.
struct graph_key {
  graph_node_kind kind = graph_node_kind::context;
  std::string id;

  auto operator<=>(const graph_key&) const = default;
};

struct graph_edge {
  graph_edge_kind kind = graph_edge_kind::contains;
  graph_key from;
  graph_key to;

  auto operator<=>(const graph_edge&) const = default;
};

/// The id of a part in its owner's: participants, messages and resources are
/// unique there only. `~` and `/` in a name are escaped as in JSON pointers.
[[nodiscard]] std::string part_id(std::string_view owner,
                                  std::string_view name);

/// `kind:id`, as messages and exports name a node.
[[nodiscard]] std::string to_string(const graph_key& key);

/// Nodes with a few members each, and typed edges. Every edge ends at nodes
/// that are there. Not synchronised.
class project_graph {
public:
  static constexpr std::size_t nodes_max = 1'000'000;
  static constexpr std::size_t edges_max = 4'000'000;

  using node_map = std::map<graph_key, json::object>;

  /// Adds a node. One that is there with equal members stays as it is; with
  /// others it is refused, rule `node_differs`. Rules of bounds: `nodes_max`.
  [[nodiscard]] result<void> add(const graph_key& key, json::object members);

  /// Sets members of a node that is there (rule `node_missing`).
  [[nodiscard]] result<void> update(const graph_key& key,
                                    const json::object& members);

  /// Removes a node and its edges. One that contains others, or is the Context
  /// of others, is refused, rule `node_in_use`.
  [[nodiscard]] result<void> remove(const graph_key& key);

  /// Adds an edge, or nothing if it is there. Rules: `node_missing`;
  /// `self_loop` and `foreign_step` of a dependency; `edges_max`. A cycle of
  /// dependencies is found by `check_order`.
  [[nodiscard]] result<void> connect(const graph_edge& edge);

  /// Removes an edge, if it is there.
  void disconnect(const graph_edge& edge);

  /// Whether no step waits for itself, over however many others; rule
  /// `steps_acyclic`, naming one that does. Linear.
  [[nodiscard]] result<void> check_order() const;

  /// The members of a node; null: there is none.
  [[nodiscard]] const json::object* find(const graph_key& key) const;

  [[nodiscard]] const node_map& nodes() const noexcept {
    return nodes_;
  }
  /// In their order: by kind, then by the nodes.
  [[nodiscard]] const std::set<graph_edge>& edges() const noexcept {
    return edges_;
  }

  /// The nodes that edges of this kind lead to from a node, or from which they
  /// lead to it.
  [[nodiscard]] std::vector<graph_key> targets(graph_edge_kind kind,
                                               const graph_key& from) const;
  [[nodiscard]] std::vector<graph_key> sources(graph_edge_kind kind,
                                               const graph_key& to) const;

  bool operator==(const project_graph& other) const {
    return nodes_ == other.nodes_ && edges_ == other.edges_;
  }

private:
  struct reversed {
    graph_edge_kind kind;
    graph_key to;
    graph_key from;

    auto operator<=>(const reversed&) const = default;
  };

  node_map nodes_;
  std::set<graph_edge> edges_;
  std::set<reversed> reversed_;
};

} // namespace convene::protocol
