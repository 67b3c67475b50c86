#pragma once

#include <convene/server/runs/run_host.hpp>
#include <convene/server/sessions/session_host.hpp>

namespace convene::server {

/// Lets what nodes `convene.session` start go on among a server's sessions: by
/// the same rules as a scenario that comes by HTTP, under an id that follows
/// from run and node, so that a server that was started again finds it. `in`
/// must outlive the runs.
[[nodiscard]] run_sessions node_sessions(session_host& in);

} // namespace convene::server
