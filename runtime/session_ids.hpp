#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/runtime.hpp>
#include <convene/session/spec/spec.hpp>

namespace convene::host {

/// The ids of a session under a seed, of which its key is the first. They
/// follow from the seed, the scenario as MAPSessionStarted has it, and how much
/// is validated. `how.seed` is set.
[[nodiscard]] CONVENE_API protocol::uuid_source
session_ids(const runtime_options& how, const session::spec& what);

} // namespace convene::host
