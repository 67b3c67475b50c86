#pragma once

#include <convene/session/machine/standing_session.hpp>

#include <span>

namespace convene::session {

/// The complete state of a running session besides its scenario and key: that
/// of its machine, and the unanswered requests. The same state always gives the
/// same JSON. `outstanding` are the open requests of `of`, as delivered; fails
/// if one shows something unknown to the machine, or the session is not
/// running. Pure; never changes what is saved.
[[nodiscard]] protocol::result<json::object>
save(const machine& of, std::span<const delivery> outstanding);

/// Restores the saved state in a machine just activated for the same scenario,
/// policy and key. From then on the same inputs have the same effects. `from`
/// is untrusted: a state that no machine could have saved is an error, with a
/// pointer if possible (rule `snapshot`), and `fresh` is lost.
[[nodiscard]] protocol::result<standing_session>
restore(std::unique_ptr<machine> fresh, const json::value& from);

} // namespace convene::session
