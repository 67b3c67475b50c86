#pragma once

#include <convene/actors/messages.hpp>
#include <convene/actors/ports/ports.hpp>

namespace convene::actors {

using arm_atom = caf::atom_constant<caf::atom("arm")>;
using disarm_atom = caf::atom_constant<caf::atom("disarm")>;
using wake_atom = caf::atom_constant<caf::atom("wake")>;

/// Wakes sessions at their deadlines. One for all sessions, so that a turn
/// costs no timer: a session says only when it needs to be woken earlier than
/// it said before.
using timekeeper_actor
  = caf::typed_actor<caf::reacts_to<arm_atom, session_actor, std::int64_t>,
                     caf::reacts_to<disarm_atom, session_actor>,
                     caf::reacts_to<wake_atom, std::int64_t>>;

/// Spawns the timekeeper. `time` must outlive it.
[[nodiscard]] timekeeper_actor spawn_timekeeper(caf::actor_system& system,
                                                const time_source& time);

} // namespace convene::actors
