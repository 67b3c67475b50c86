#pragma once

#include <convene/runtime/runtime.hpp>
#include <convene/session/spec/spec.hpp>

#include <string>

namespace convene::host {

/// Whether a runtime of these options would start this scenario: its policy,
/// its behaviours and what they may reach, and the rules of activation. To be
/// checked before anything is created.
[[nodiscard]] protocol::result<void> may_start(const session::spec& scenario,
                                               const runtime_options& how);

/// Why a session whose policy has this name cannot start, if there is none.
[[nodiscard]] protocol::error no_policy(const std::string& name);

} // namespace convene::host
