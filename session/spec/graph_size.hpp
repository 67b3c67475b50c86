#pragma once

#include <convene/protocol/events/core_event.hpp>
#include <convene/session/spec/role_index.hpp>
#include <convene/session/spec/spec.hpp>

namespace convene::session {

/// What a scenario brings into the project graph, without its resources: its
/// Context, Roles, Collab and participants, the Plan and Confirm, if any, and
/// its Extensions with their Confirms, Core and Network.
/// Counted as protocol/graph/graph_fold.hpp adds them.
[[nodiscard]] protocol::graph_delta graph_size(const spec& what,
                                               const protocol::plan* plan,
                                               const protocol::confirm* given);

/// What a plan's steps add: themselves, what they depend on, and their Roles.
[[nodiscard]] protocol::graph_delta
graph_size(const role_index& roles,
           const std::vector<protocol::plan_step>& steps);

/// What a decision adds: itself, and whose Role decided.
[[nodiscard]] protocol::graph_delta
graph_size(const role_index& roles, const protocol::confirm_decision& one);

} // namespace convene::session
