#pragma once

#include <convene/actors/behaviours/behaviour.hpp>
#include <convene/actors/messages.hpp>
#include <convene/actors/ports/ports.hpp>

#include <memory>

namespace convene::actors {

/// What a participant actor works with.
struct participant_setup {
  session_actor session;
  std::shared_ptr<const session::session_info> about;
  session::participant_index self = session::no_participant;
  std::shared_ptr<behaviour> answers;
  /// For a behaviour that blocks. Null: it runs in the actor nevertheless,
  /// which is right where time is virtual.
  blocking_runner* runner = nullptr;
  std::shared_ptr<late_answers> late; ///< may be null
};

/// Spawns the actor of one participant: runs the behaviour on each request and
/// hands the answer in. An orchestrator is a participant whose behaviour also
/// answers requests of kind decision.
[[nodiscard]] participant_actor spawn_participant(caf::actor_system& system,
                                                  participant_setup setup);

} // namespace convene::actors
