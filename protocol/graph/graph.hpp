#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/words.hpp>
#include <convene/protocol/graph/persistent_map.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
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
  handoff,     ///< a participant to whom it handed a turn
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

/// A node and an edge as a graph shows them, until its next change.
struct graph_node_view {
  const graph_key& first;
  const json::object& second; ///< its members

  const graph_node_view* operator->() const {
    return this;
  }
};

struct graph_edge_view {
  graph_edge_kind kind;
  const graph_key& from;
  const graph_key& to;

  operator graph_edge() const {
    return {kind, from, to};
  }
};

/// How a graph keeps its nodes, for this folder's own sources.
namespace graph_storage {

/// A node's key, once in memory however many edges end there.
struct name : boost::intrusive_ref_counter<name> {
  explicit name(graph_key of) : key{std::move(of)} {}

  const graph_key key;
};
using name_ref = boost::intrusive_ptr<const name>;

struct by_key {
  bool operator()(const name_ref& a, const name_ref& b) const {
    return a != b && a->key < b->key;
  }
  bool operator()(const name_ref& a, const graph_key& b) const {
    return a->key < b;
  }
  bool operator()(const graph_key& a, const name_ref& b) const {
    return a < b->key;
  }
};

/// What is at the other end of an edge.
struct edge_end {
  graph_edge_kind kind;
  name_ref node;
};

struct by_kind_and_key {
  bool operator()(const edge_end& a, const edge_end& b) const {
    return a.kind != b.kind ? a.kind < b.kind : by_key{}(a.node, b.node);
  }
  /// Before all edges of the kind.
  bool operator()(const edge_end& a, graph_edge_kind b) const {
    return a.kind < b;
  }
  bool operator()(graph_edge_kind a, const edge_end& b) const {
    return a <= b.kind;
  }
};

struct nothing {};

/// Most nodes have few edges, hence the small leaves.
using edge_ends = persistent_map<edge_end, nothing, by_kind_and_key, 4>;

struct node : boost::intrusive_ref_counter<node> {
  json::object members;
  edge_ends out;
  edge_ends in;
  /// Of a step: more than that of any step that it waits for.
  std::uint32_t depth = 0;
};
using node_ref = boost::intrusive_ptr<node>;
using node_map = persistent_map<name_ref, node_ref, by_key>;

template <class Use>
void for_each_end(const edge_ends& ends, graph_edge_kind kind, Use&& use) {
  for (auto at = ends.lower_bound(kind);
       at != ends.end() && at->key.kind == kind; ++at)
    use(at->key.node);
}

/// A Role by its name.
struct role_name {
  std::string name;
  graph_key role;

  auto operator<=>(const role_name&) const = default;
};
using role_names = persistent_map<role_name, nothing, std::less<>, 4>;

/// Whether members and edges out are the same.
[[nodiscard]] bool is_same(const node& a, const node& b);

} // namespace graph_storage

/// The nodes of a graph, by kind and id.
class graph_nodes {
public:
  class iterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = graph_node_view;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = graph_node_view;

    iterator() = default;
    explicit iterator(graph_storage::node_map::iterator at) : at_{at} {}

    graph_node_view operator*() const {
      return {at_->key->key, at_->value->members};
    }
    graph_node_view operator->() const {
      return **this;
    }
    iterator& operator++() {
      ++at_;
      return *this;
    }
    iterator operator++(int) {
      return iterator{at_++};
    }
    bool operator==(const iterator& other) const = default;

  private:
    graph_storage::node_map::iterator at_;
  };

  explicit graph_nodes(const graph_storage::node_map& all) : all_{&all} {}

  [[nodiscard]] iterator begin() const {
    return iterator{all_->begin()};
  }
  [[nodiscard]] iterator end() const {
    return iterator{all_->end()};
  }
  [[nodiscard]] std::size_t size() const noexcept {
    return all_->size();
  }
  [[nodiscard]] bool empty() const noexcept {
    return all_->empty();
  }
  [[nodiscard]] iterator lower_bound(const graph_key& key) const {
    return iterator{all_->lower_bound(key)};
  }

private:
  const graph_storage::node_map* all_;
};

/// Nodes with a few members each, and typed edges. Every edge ends at nodes
/// that are there, and no step waits for itself, over however many others.
///
/// Copies share what they have in common: a copy is a snapshot that takes
/// constant time, and a change of one copy copies a path of its own. Each copy
/// may be used in another thread; one copy is not synchronised.
class project_graph {
public:
  static constexpr std::size_t nodes_max = 1'000'000;
  static constexpr std::size_t edges_max = 4'000'000;

  /// Adds a node. One that is there with equal members stays as it is; with
  /// others it is refused, rule `node_differs`. Rules of bounds: `nodes_max`.
  [[nodiscard]] result<void> add(const graph_key& key, json::object members);

  /// Sets members of a node that is there (rule `node_missing`).
  [[nodiscard]] result<void> update(const graph_key& key,
                                    const json::object& members);

  /// Gives a node these members and no others; adds it where there is none.
  [[nodiscard]] result<void> put(const graph_key& key, json::object members);

  /// Counts parts that are not kept: nodes, each with the edge from its owner,
  /// to which nothing else will refer. The bounds include them.
  [[nodiscard]] result<void> count_parts(std::size_t more);

  /// Removes a node and its edges. One that has parts or objects, or that
  /// another refers to, is refused, rule `node_in_use`; so it is where a step
  /// waits for it. Who produced or holds a resource is no reason.
  [[nodiscard]] result<void> remove(const graph_key& key);

  /// The same with its parts and, of a Context, its objects and their parts.
  /// What refers to one of them and is none of them is a reason to refuse.
  [[nodiscard]] result<void> remove_all(const graph_key& key);

  /// Adds an edge, or nothing if it is there. Rules: `node_missing`;
  /// `self_loop`, `foreign_step` and `steps_acyclic` of a dependency;
  /// `edges_max`. A dependency takes time by the steps that wait for its step,
  /// and next to none if they are added in the order of the work.
  [[nodiscard]] result<void> connect(const graph_edge& edge);

  /// Adds edges, all or none. Dependencies are judged together, in time by
  /// their plans whatever their order.
  [[nodiscard]] result<void> connect_all(std::span<const graph_edge> edges);

  /// Whether the edge may be there, cycles apart.
  [[nodiscard]] result<void> check_edge(const graph_edge& edge) const;

  /// Removes an edge, if it is there.
  void disconnect(const graph_edge& edge);

  /// The members of a node; null: there is none.
  [[nodiscard]] const json::object* find(const graph_key& key) const;

  [[nodiscard]] bool has_edge(const graph_edge& edge) const;

  /// The first Role, by its key, whose member `name` is this; null: none.
  [[nodiscard]] const graph_key* role_named(std::string_view name) const;

  [[nodiscard]] graph_nodes nodes() const noexcept {
    return graph_nodes{nodes_};
  }
  /// Those that are counted included.
  [[nodiscard]] std::size_t node_count() const noexcept {
    return nodes_.size() + counted_;
  }
  [[nodiscard]] std::size_t edge_count() const noexcept {
    return edges_ + counted_;
  }
  /// In their order: by kind, then by the nodes. Linear.
  [[nodiscard]] std::vector<graph_edge_view> edges() const;

  /// The nodes that edges of this kind lead to from a node, or from which they
  /// lead to it, in the order of their keys.
  [[nodiscard]] std::vector<graph_key> targets(graph_edge_kind kind,
                                               const graph_key& from) const;
  [[nodiscard]] std::vector<graph_key> sources(graph_edge_kind kind,
                                               const graph_key& to) const;

  /// Takes time by what the two do not share.
  bool operator==(const project_graph& other) const;

  /// Nodes by their keys: for comparing graphs without what they share.
  [[nodiscard]] const graph_storage::node_map& storage() const noexcept {
    return nodes_;
  }

private:
  [[nodiscard]] const graph_storage::node* node_at(const graph_key& key) const;
  graph_storage::node& own(graph_storage::node_map::entry& at);
  graph_storage::name_ref link(const graph_edge& edge);
  [[nodiscard]] result<void>
  order(const std::vector<graph_storage::name_ref>& late);
  [[nodiscard]] result<void> remove_each(const std::set<graph_key>& all);
  void name_role(const graph_key& key, std::string_view was,
                 std::string_view is);

  graph_storage::node_map nodes_;
  graph_storage::role_names roles_;
  std::size_t edges_ = 0;
  std::size_t counted_ = 0; ///< parts that are not kept
};

} // namespace convene::protocol
