#pragma once

#include <convene/runtime/outside/processes/supervisor.hpp>

namespace convene::host {

/// Gives this process a network of its own, in which only the loopback is up,
/// and for that a user namespace unless it is root. Returns a socket that
/// listens there at `network_door_port`, or -1, and errno says why. Only calls
/// that are safe after a fork.
[[nodiscard]] int make_network(const launch& what) noexcept;

} // namespace convene::host
