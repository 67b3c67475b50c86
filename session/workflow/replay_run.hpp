#pragma once

#include <convene/session/workflow/fork.hpp>

namespace convene::session {

/// Goes on with a fork by what its source recorded after what it inherited.
/// `first` starts it if it inherited nothing.
[[nodiscard]] protocol::result<forked_run>
replay_run(const fork_source& from, const start_run& first, forked_run made,
           divergence_policy policy);

} // namespace convene::session
