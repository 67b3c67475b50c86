#pragma once

#include <convene/protocol/documents/reply.hpp>
#include <convene/session/routing/policy.hpp>
#include <convene/session/spec/membership.hpp>
#include <convene/session/spec/spec.hpp>

#include <cstddef>
#include <optional>
#include <vector>

// The modules Extension, Core and Network of a session that has them; in others
// nothing here refuses anything (docs/modules.md).

namespace convene::session {

/// Whether the session may start as far as these modules are concerned. Each
/// refusal has code `activation_refused`:
///   core_status              the Core is active or deprecated
///   core_module              it has each module that the session needs, and
///                            has not disabled it
///   core_module_unique       no module is there twice
///   protocol_versions_mixed  its protocol_version is that of the documents
///   extension_unique         Extensions have ids and names of their own, and
///                            their Confirms ids
///   extension_confirmed      one that can act (`is_to_confirm`) is approved,
///                            with the duty `security` by a role that may; each
///                            Confirm is about an Extension, and the only one
///   locked                   one that becomes active is not locked
///   network_status           the Network is neither a draft nor out of service
///   network_nodes_max        it has at most 10,000 nodes
///   network_node_unique      its nodes have ids of their own
///   context_binding          all are of the session's Context
[[nodiscard]] protocol::result<void>
check_modules(const spec& what, const routing_policy& policy);

/// The most nodes of a session's Network.
inline constexpr std::size_t network_nodes_max = 10'000;

/// Whether the Extension needs an approved Confirm: it is active or becomes so,
/// and its config is a behaviour or a server, whatever its extension_type says;
/// or it is a registered capability or integration.
[[nodiscard]] bool is_to_confirm(const protocol::extension& what) noexcept;

/// The Confirm about it; null: there is none.
[[nodiscard]] const protocol::confirm*
confirm_of(const spec& what, const protocol::extension& of) noexcept;

/// Why a reply cannot be taken: it has `tasks`, which become a Plan, and the
/// Core has not the module for that (`core_module`).
[[nodiscard]] std::optional<protocol::reply_error>
why_no_module(const spec& what, const protocol::reply& said);

/// The Extensions once the session has started: what was registered is active.
[[nodiscard]] std::vector<protocol::extension>
active_extensions(std::vector<protocol::extension> given);

/// The Network as the session leaves it: a node whose participants are all
/// lost is unreachable, one with a participant that can act is active, and the
/// Network is degraded or active with them. A participant is on the nodes that
/// have its id as their name; if there is none, on those of its role.
[[nodiscard]] std::optional<protocol::network>
network_after(const protocol::boxed<protocol::network>& given,
              const membership& who);

} // namespace convene::session
