#pragma once

#include <convene/session/spec/spec.hpp>

namespace convene::host {

/// Whether a runtime would start this scenario, as far as the scenario alone
/// decides: its policy, its behaviours and the rules of activation. To be
/// checked before anything is created.
[[nodiscard]] protocol::result<void> may_start(const session::spec& scenario);

} // namespace convene::host
