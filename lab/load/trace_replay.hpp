#pragma once

#include <convene/lab/load/load_run.hpp>
#include <convene/lab/load/trace.hpp>
#include <convene/protocol/base/error.hpp>

namespace convene::host {

/// How many times faster a trace is replayed than it was recorded.
inline constexpr double trace_speed_min = 0.001;
inline constexpr double trace_speed_max = 1'000'000;

/// Makes the sessions of a trace the load of a plan: each is a session in round
/// robin of two participants, `caller`, who thinks and asks, and `agent`, who
/// takes as long as it did and says as much. They start when they did; the
/// load's only stage lasts until the last has had the time that it took. The
/// participants are functions in this process, and scripts on a server.
[[nodiscard]] protocol::result<void> set_trace(load_trace trace, double speed,
                                               load_plan& into,
                                               bool on_server = false);

} // namespace convene::host
