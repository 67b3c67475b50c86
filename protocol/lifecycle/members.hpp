#pragma once

#include <convene/protocol/lifecycle/object_lookup.hpp>
#include <convene/protocol/lifecycle/transition.hpp>

// What a change does to members that have rules of their own: for
// document_change.cpp.

namespace convene::protocol {

/// A change as check_change has got it.
struct object_change {
  const lifecycle& of;
  const json::object* before; ///< null: it is created
  const json::object& after;
  const object_lookup& known;
  const lifecycle_policy& policy;
};

/// Whether members differ that are neither bookkeeping nor told by events of
/// their own.
[[nodiscard]] bool has_own_edits(const object_change& change);

/// Steps, segments, modules and nodes: their statuses, and whether they may be
/// added, removed and changed.
[[nodiscard]] result<void> change_parts(const object_change& change,
                                        lifecycle_events& out);

/// Decisions of a Confirm: written once, and settling it.
[[nodiscard]] result<void> change_decisions(const object_change& change,
                                            lifecycle_events& out);

/// Messages of a Dialog: written once, in the order in which they came.
[[nodiscard]] result<void> check_messages(const object_change& change);

/// Capabilities that a Role has gained and lost.
void change_capabilities(const object_change& change, lifecycle_events& out);

} // namespace convene::protocol
