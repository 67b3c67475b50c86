#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/lifecycle/lifecycle.hpp>
#include <convene/protocol/lifecycle/object_lookup.hpp>

namespace convene::protocol {

/// Whether everything that a module's object refers to is there (MPLP
/// lifecycles 12): its Context, Plan, target, last Confirm, and the segments
/// that its segments name; with `roles_resolve` the Roles as well. What is
/// created needs a Context that is not closed. Rules `reference_missing` and
/// `reference_status`, with the pointer of the member that refers.
[[nodiscard]] result<void>
check_references(const lifecycle& of, const json::object& document,
                 bool creates, const object_lookup& known,
                 const lifecycle_policy& policy);

} // namespace convene::protocol
