#pragma once

#include <convene/protocol/graph/graph_update.hpp>
#include <convene/protocol/lifecycle/lifecycle.hpp>

#include <functional>

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

/// The object that a part belongs to, over however many parts; an object
/// itself.
[[nodiscard]] graph_key object_of_part(const project_graph& in, graph_key part);

/// Whether the change may be made (MPLP, project semantic graph). What is new
/// has its parent: rule `parent_missing`. Nothing is removed from a Trace:
/// `trace_append_only`. A status moves along its lifecycle, one move at a time:
/// `status_known`, `status_move`; what has a final one stays as it is:
/// `frozen`. What says `governance.locked`, or belongs to what does: `locked`.
/// An object with a document changes with it: `document_differs`.
[[nodiscard]] result<void> check_differences(const judged_change& change,
                                             const lifecycle_policy& policy);

} // namespace convene::protocol
