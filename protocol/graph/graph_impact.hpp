#pragma once

#include <convene/protocol/graph/graph.hpp>

#include <cstdint>
#include <vector>

namespace convene::protocol {

/// How much it costs to change something: nothing hangs on it; something does;
/// work that is done or under way does, which may have to be done again.
enum class impact_risk : std::uint8_t { low, medium, high };
CONVENE_WORDS(impact_risk, "low", "medium", "high");

struct graph_impact {
  std::vector<graph_key> affected; ///< in the order of their keys
  impact_risk risk = impact_risk::low;
};

/// What a change of a node affects, directly and over others: its parts, the
/// objects of a Context, the steps that wait for a step and the resources that
/// it produced, the Confirms about it, and what a Role is assigned to. What was
/// said and recorded (Dialogs, Traces, decisions) stays as it is. Rule
/// `node_missing` if there is no such node.
[[nodiscard]] result<graph_impact> impact_of(const project_graph& in,
                                             const graph_key& changed);

} // namespace convene::protocol
