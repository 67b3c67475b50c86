#pragma once

#include <convene/actors/behaviours/behaviour.hpp>
#include <convene/actors/messages.hpp>
#include <convene/actors/ports/message_faults.hpp>
#include <convene/actors/ports/ports.hpp>

#include <memory>

namespace convene::actors {

/// What the participant actors of a session have in common.
struct participants_setup {
  std::shared_ptr<const session::session_info> about;
  /// For a behaviour that blocks. Null: it runs in the actor nevertheless,
  /// which is right where time is virtual.
  blocking_runner* runner = nullptr;
  const time_source* time = nullptr;  ///< null: requests never expire
  outside_door* outside = nullptr;    ///< null: any thread may send
  std::shared_ptr<late_answers> late; ///< may be null
  std::shared_ptr<blob_store> blobs;  ///< null: large values are refused
  message_faults* faults = nullptr;   ///< null: all answers arrive
};

/// What a participant actor works with.
struct participant_setup {
  session_actor session;
  std::shared_ptr<const participants_setup> common;
  session::participant_index self = session::no_participant;
  std::shared_ptr<behaviour> answers;
};

/// Spawns the actor of one participant: runs the behaviour on each request and
/// hands the answer in. A request for a decision fails as `no_orchestrator`;
/// see actors/orchestrator.hpp.
[[nodiscard]] participant_actor spawn_participant(caf::actor_system& system,
                                                  participant_setup setup);

} // namespace convene::actors
