#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/lifecycle/event.hpp>
#include <convene/protocol/lifecycle/lifecycle.hpp>
#include <convene/protocol/lifecycle/object_lookup.hpp>

namespace convene::protocol {

/// Judges a change of a module's object from its documents before and after,
/// and returns the events of an accepted one. `before` null: the object is
/// created. Both must be valid by the module's schema, or faults there may
/// appear as a refusal here.
///
/// Checked in this order: ids (rule `immutable_id`), the lock (`locked`; it
/// yields to a new `governance.lastConfirmRef` to an approved Confirm about the
/// object, and a Plan is locked with its Context), references (see
/// check_references), members that the status freezes (`frozen`), a Dialog's
/// messages (`message_written_once`), a Confirm's decisions
/// (`decision_written_once`, `decision_settles`), the statuses of the object
/// and of its parts with their preconditions (see `transition`). Equal
/// documents are not a change and have no events. Pure; linear in the
/// documents, but for the order of lookups.
[[nodiscard]] result<lifecycle_events>
check_change(module which, const json::object* before,
             const json::object& after, const object_lookup& known,
             const lifecycle_policy& policy = {});

} // namespace convene::protocol
