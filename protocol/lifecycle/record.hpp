#pragma once

#include <convene/protocol/lifecycle/event.hpp>
#include <convene/protocol/lifecycle/transition.hpp>

// Which events tell of which change: for this folder's own sources.

namespace convene::protocol {

/// A change of the project graph that the event tells of.
struct graph_change {
  std::string_view type; ///< of the event
  std::string_view kind; ///< `update_kind`
  std::int64_t node_delta = 0;
};

/// Appends what an accepted move puts on record. The statuses of `change` are
/// words of the table.
void record_move(const lifecycle& of, const lifecycle_move& move,
                 const status_change& change, lifecycle_events& out);

/// Appends a graph_update. Equal statuses, or none, say that something else
/// changed.
void record_graph(const lifecycle& of, const graph_change& what,
                  const status_change& change, lifecycle_events& out);

/// Appends the graph_update of a decision that a Confirm has got.
void record_decision(const status_change& confirm, std::string_view decision_id,
                     lifecycle_events& out);

} // namespace convene::protocol
