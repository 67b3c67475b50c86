#pragma once

#include <convene/protocol/documents/action.hpp>

#include <cstddef>
#include <string_view>

namespace convene::session {

/// The most bytes of an action's arguments, and of its output, and how deep
/// they nest; about those of their JSON text.
inline constexpr std::size_t action_bytes_max = std::size_t{1} << 20;
inline constexpr std::size_t action_depth_max = 64;

/// Makes an action fit for the log, which has no `timeout_ms` and no
/// `question`. Returns why it
/// cannot be: `invalid_action`, `action_bytes_max` or `action_depth_max`;
/// empty: it can. Idempotent.
[[nodiscard]] std::string_view normalise(protocol::action& what);

/// Makes any result fit for the log: one whose output breaks a bound becomes a
/// failed one that says so (`action_bytes_max`, `action_depth_max`,
/// `action_output_invalid`). The log's form decodes to an equal result.
/// Idempotent.
void normalise(protocol::action_result& what);

} // namespace convene::session
