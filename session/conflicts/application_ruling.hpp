#pragma once

#include <convene/session/conflicts/write_conflict.hpp>
#include <convene/session/conflicts/writing.hpp>
#include <convene/session/spec/membership.hpp>

namespace convene::session {

/// What the application's strategy decides about a write. The first write
/// stands if the strategy fails; the reason begins with the strategy's name.
[[nodiscard]] resolution
rule_by_application(const membership& all, const writing& by,
                    const protocol::resource_write& what,
                    const write_conflict& found, const written& made);

} // namespace convene::session
