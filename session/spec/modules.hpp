#pragma once

#include <convene/protocol/documents/reply.hpp>
#include <convene/session/routing/policy.hpp>
#include <convene/session/spec/spec.hpp>

#include <optional>
#include <vector>

// The modules Extension and Core of a session that has them; in others nothing
// here refuses anything (docs/modules.md).

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
///   context_binding          all are of the session's Context
/// Also as far as its Network is: `check_network` has the rules.
[[nodiscard]] protocol::result<void>
check_modules(const spec& what, const routing_policy& policy);

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

} // namespace convene::session
