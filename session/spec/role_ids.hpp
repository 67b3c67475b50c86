#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/session/spec/spec.hpp>

namespace convene::session {

/// Where a scenario has Roles, the role_id of each participant and of each node
/// of the Network must be the id or the name of one: errc::activation_refused
/// with rule `known_role` and the nearest name. Without Roles, any word is a
/// role. A single agent's participants have the roles that its plan names.
///
/// A rule for new sessions, not one of activation: logs of earlier versions,
/// which did not have it, are still read and resumed.
[[nodiscard]] CONVENE_API protocol::result<void>
check_role_ids(const spec& what);

} // namespace convene::session
