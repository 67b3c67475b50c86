#pragma once

#include <convene/runtime/data/scenario/known_policy.hpp>
#include <convene/runtime/runtime.hpp>
#include <convene/session/spec/spec.hpp>

namespace convene::host {

/// Whether a runtime of these options would start this scenario: its policy,
/// its behaviours and what they may reach, and the rules of activation. To be
/// checked before anything is created.
[[nodiscard]] protocol::result<void> may_start(const session::spec& scenario,
                                               const runtime_options& how);

} // namespace convene::host
