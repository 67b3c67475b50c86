#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/session/spec/spec.hpp>

#include <string>

namespace convene::host {

/// Why a session whose policy has this name cannot start, if there is none.
[[nodiscard]] protocol::error no_policy(const std::string& name);

/// Whether the scenario's policy is one that there is, and the ids of roles are
/// those of its Roles: what a new session needs.
[[nodiscard]] protocol::result<void>
check_known_names(const session::spec& scenario);

} // namespace convene::host
