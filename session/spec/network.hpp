#pragma once

#include <convene/protocol/base/boxed.hpp>
#include <convene/session/spec/membership.hpp>
#include <convene/session/spec/spec.hpp>

#include <cstddef>
#include <optional>

namespace convene::session {

/// The most nodes of a session's Network.
inline constexpr std::size_t network_nodes_max = 10'000;

/// Whether the session may start on its Network, if it has one. Each refusal
/// has code `activation_refused`:
///   network_status       it is neither a draft nor out of service
///   network_nodes_max    it has at most 10,000 nodes
///   network_node_unique  its nodes have ids of their own
///   context_binding      it is of the session's Context
[[nodiscard]] protocol::result<void> check_network(const spec& what);

/// The Network as the session leaves it: a node whose participants are all
/// lost is unreachable, one with a participant that can act is active, and the
/// Network is degraded or active with them. A participant is on the nodes that
/// have its id as their name; if there is none, on those of its role.
[[nodiscard]] std::optional<protocol::network>
network_after(const protocol::boxed<protocol::network>& given,
              const membership& who);

} // namespace convene::session
