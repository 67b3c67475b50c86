#pragma once

#include <convene/session/routing/policy.hpp>
#include <convene/session/spec/roster.hpp>
#include <convene/session/spec/spec.hpp>

#include <optional>
#include <string>

// What Roles let participants do (MPLP runtime.md 10), in sessions whose Collab
// asks for it: `meta.cross_cutting` names the duty `security`. In others
// nothing here refuses anything.

namespace convene::session {

/// Whether the session may start as far as Roles are concerned. Each refusal
/// has code `activation_refused`:
///   capability_missing   who acts has `collab.join`, and where there are steps
///                        `plan.execute`; orchestrator and deputy
///                        `collab.orchestrate`; who approved or rejected the
///                        Confirm, `confirm.approve` or `confirm.reject`
///   own_confirm          nobody decides on a Confirm that they requested
///   confirm_undecided    a given Plan that needs approval comes with it: the
///                        program does not approve it
[[nodiscard]] protocol::result<void>
check_security(const spec& what, const roster& who,
               const routing_policy& policy);

/// Why a reply cannot be taken from `who`, with code `capability_missing`:
/// `tasks` need `plan.create`, and `plan.execute` of all who may get them.
[[nodiscard]] std::optional<protocol::reply_error>
why_not_permitted(const spec& what, participant_index who,
                  const protocol::reply& said);

/// Whether Extensions have to be approved: Collab or Core name the duty.
[[nodiscard]] bool is_secured(const spec& what);

/// Whether an approved Confirm about an Extension has the decision of somebody
/// who may approve it (`capability_missing`, `own_confirm`), and one at all
/// (`extension_confirmed`). `pointer` is the Confirm's.
[[nodiscard]] protocol::result<void>
check_decisions(const spec& what, const protocol::confirm& confirm,
                const std::string& pointer);

} // namespace convene::session
