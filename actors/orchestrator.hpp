#pragma once

#include <convene/actors/participant.hpp>

namespace convene::actors {

/// Spawns the actor of an orchestrator, or of a deputy, who may become one: it
/// asks its behaviour for decisions and carries them back, and takes part like
/// any participant besides. It judges nothing. Whether a decision can be
/// carried out, how many may fail and when a deputy takes over is decided by
/// the session machine, so that a replay knows.
[[nodiscard]] participant_actor spawn_orchestrator(caf::actor_system& system,
                                                   participant_setup setup);

} // namespace convene::actors
