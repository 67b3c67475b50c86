#pragma once

#include <convene/session/machine/standing_session.hpp>

#include <span>

namespace convene::session {

/// All that a running session has beside its scenario and its key: what its
/// machine has come to, and the requests that nobody has answered. For the
/// same state always the same JSON. `outstanding` are those of `of`, as they
/// were delivered; fails where one shows what the machine does not know of, or
/// the session does not run. Pure, and never changes what is saved.
[[nodiscard]] protocol::result<json::object>
save(const machine& of, std::span<const delivery> outstanding);

/// Brings a machine that was just activated, for the same scenario, policy and
/// key, to where it was saved. From then on the same inputs make the same
/// effects. `from` may come from anywhere: what no machine could have saved is
/// an error, with a pointer where it can be said (rule `snapshot`), and `fresh`
/// is gone.
[[nodiscard]] protocol::result<standing_session>
restore(std::unique_ptr<machine> fresh, const json::value& from);

} // namespace convene::session
