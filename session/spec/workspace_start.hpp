#pragma once

#include <convene/session/spec/spec.hpp>
#include <convene/session/workspace/workspace.hpp>

namespace convene::session {

/// The workspace that a session starts with: each resource of the scenario at
/// its version 1, written by nobody. Refuses a resource that is named twice
/// (`unique_resource`) and what does not fit into a workspace.
[[nodiscard]] protocol::result<workspace> make_workspace(const spec& what);

} // namespace convene::session
