#pragma once

#include <convene/session/routing/policy.hpp>
#include <convene/session/spec/roster.hpp>
#include <convene/session/spec/spec.hpp>

namespace convene::session {

/// Whether a session may start, by the activation rules. Each refusal has code
/// `activation_refused` and names the rule:
///   locked                   nothing that a session changes is locked: its
///                            Collab, a Confirm that it decides on, and with
///                            its Context a Plan
///   collab_status            draft or active
///   context_active           the context is active
///   context_binding          plan, collab and context agree on context_id
///   map_min_participants     at least one participant acts
///   map_session_requires_multiple_participants  broadcast, swarm:
///                            one acts besides the initiator
///   pair_participants        pair: exactly two act
///   map_orchestrator_required  orchestrated: one is found and acts
///   map_unique_participant_ids
///   map_participants_have_role_ids
///   known_participant        ids in `session` and its `assign` are known
///   plan_status              draft, proposed, approved or in_progress
///   plan_confirmed           a Confirm on the plan does not reject it
///   plan_steps               ids unique, dependencies known, no cycle
///   known_role               somebody fits the role of each task, and the
///                            agent_role of each open step
///   participants_max, steps_max
/// the rules of `check_modules`, those of `check_security`, where the Collab
/// asks for it, and those of `decode_spec`, for a spec not read by it. Returns
/// the spec's text, which MAPSessionStarted carries.
[[nodiscard]] protocol::result<spec_text>
may_activate(const spec& what, const roster& who, const routing_policy& policy);

} // namespace convene::session
