#pragma once

#include <convene/session/requests/request.hpp>

#include <compare>
#include <cstddef>
#include <vector>

namespace convene::session {

/// What the project graph has of what happened in a session: who handed a turn
/// to whom, and how far its Dialog and Trace go.
struct graph_record {
  struct handoff {
    participant_index from = no_participant;
    participant_index to = no_participant;

    auto operator<=>(const handoff&) const = default;
  };

  struct extent {
    bool opened = false; ///< Dialog and Trace are there
    bool traces = false; ///< the Trace's edge to the Plan, too
    std::size_t messages = 0;
    std::size_t segments = 0;

    bool operator==(const extent&) const = default;
  };

  std::vector<handoff> handoffs; ///< in their order, each once
  extent recorded;
};

} // namespace convene::session
