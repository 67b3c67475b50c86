#pragma once

#include <convene/protocol/graph/graph_update.hpp>
#include <convene/protocol/lifecycle/lifecycle.hpp>

#include <functional>
#include <map>

namespace convene::protocol {

/// A change of a graph as a whole, for its judges.
struct judged_change {
  const project_graph& before;
  const project_graph& after;
  std::span<const graph_difference> differences; ///< what `compare` found
  /// The object's document before, and whether a change of it was accepted: its
  /// nodes change with it. Null: it has none.
  std::function<const json::object*(const graph_key& object)> document;
  std::function<bool(const graph_key& object)> is_accepted;
};

/// The objects that the parts of a graph belong to. Remembers what it found, so
/// the graph must not change.
class part_owners {
public:
  explicit part_owners(const project_graph& in) : in_{in} {}

  /// Over however many parts; of an object itself.
  [[nodiscard]] const graph_key& object_of(const graph_key& part);

private:
  const project_graph& in_;
  std::map<graph_key, graph_key> known_;
};

/// Whether the edge is a fact that only a log tells: it is no part of an
/// object.
[[nodiscard]] bool is_fact(graph_edge_kind kind);

/// Whether the change may be made (MPLP, project semantic graph). What is new
/// has its parent: rule `parent_missing`. Nothing is removed from a Trace:
/// `trace_append_only`. A status moves along its lifecycle, one move at a time:
/// `status_known`, `status_move`; what has a final one stays as it is:
/// `frozen`. What says `governance.locked`, or belongs to what does: `locked`.
/// An object with a document changes with it: `document_differs`.
[[nodiscard]] result<void> check_differences(const judged_change& change,
                                             const lifecycle_policy& policy);

} // namespace convene::protocol
