#pragma once

#include <convene/protocol/events/workspace_event.hpp>
#include <convene/session/requests/request.hpp>

#include <map>
#include <vector>

namespace convene::session {

/// The resources' part of the session's graph. Guarantees:
/// - a resource is a node as long as it is written or claimed;
/// - it has an edge from each step whose turns wrote it, once, until it is
///   deleted.
class producer_book {
public:
  struct change {
    protocol::node_change node = protocol::node_change::updated;
    protocol::graph_delta delta;
  };

  /// A write in a turn for step `by`, or `no_step`. `was_written`: the resource
  /// existed before; `deletes`: it does not afterwards.
  change note(const resource_name& what, step_index by, bool claimed,
              bool was_written, bool deletes);

  /// For snapshots.
  template <class Self, class F>
  static void fields(Self& x, F& f) {
    auto& [producers] = x;
    f("producers", producers);
  }

private:
  std::map<resource_key, std::vector<step_index>> producers_;
};

} // namespace convene::session
