#pragma once

#include <convene/actors/behaviours/behaviour.hpp>
#include <convene/actors/messages.hpp>
#include <convene/actors/ports/custom_condition.hpp>
#include <convene/actors/ports/message_faults.hpp>
#include <convene/actors/ports/ports.hpp>
#include <convene/actors/ports/session_board.hpp>
#include <convene/actors/timekeeper.hpp>
#include <convene/session/machine/machine.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace convene::actors {

/// What a session actor works with. Sink, clock, runner and check outlive it.
struct session_setup {
  std::unique_ptr<session::machine> machine;
  /// By position in the roster; null for those of kind system, which nobody
  /// asks.
  std::vector<std::shared_ptr<behaviour>> behaviours;
  std::vector<custom_condition> conditions;
  session_board* board = nullptr; ///< null: none
  /// What participants need to know about it; null: made from the machine.
  std::shared_ptr<const session::session_info> about;
  event_sink* events = nullptr;
  const time_source* time = nullptr;
  blocking_runner* runner = nullptr; ///< null: behaviours never leave the actor
  outside_door* outside = nullptr;   ///< null: any thread may send to actors
  std::shared_ptr<late_answers> late;    ///< may be null
  std::shared_ptr<blob_store> blobs;     ///< null: large values are refused
  const answer_check* answers = nullptr; ///< null: any will do
  message_faults* faults = nullptr;      ///< null: all messages arrive
  /// Of a machine that its log left standing: what nobody has answered.
  std::vector<session::delivery> outstanding;
  /// Whether those who were lost are back when it goes on: they have been
  /// started anew.
  bool brings_back = false;
  /// Whether participants who act outside are asked only once the events before
  /// are kept.
  bool strict = false;
  timekeeper_actor timekeeper;
  when_done done;
  /// Answers to these requests are not looked at: they failed the actor before,
  /// and count as failed replies with this reason (`quarantined`).
  std::map<protocol::uuid, std::string> quarantined;
  /// Is told when the actor fails, with the request whose answer did it as the
  /// error's value, if one did. Says whether it will start the session again
  /// from its log; then `done` is its own. Null, or no: the session ends as
  /// cancelled, with the condition `fault`.
  std::function<bool(const protocol::error& why)> restart;
};

/// The rule of the error that `restart` gets.
inline constexpr std::string_view session_crashed = "session_crashed";

/// The rule of the error that `done` gets from a session that was halted. One
/// that has left reports what it has done, with the status suspended.
inline constexpr std::string_view session_suspended = "session_suspended";

/// The same of a session that was let go: another process continues it.
inline constexpr std::string_view session_elsewhere = "session_elsewhere";

/// Spawns the actor of one session and those of its participants. It begins
/// with `control{start}`, or with `control{resume_from_log}`: then what has
/// expired is closed, and what is outstanding is asked again, under the same
/// tokens. It feeds its machine one message at a time and carries out the
/// effects: first the events go to the sink, then requests are sent, which wait
/// while the sink is congested. `done` is told of the end once the sink has
/// kept it; an event that cannot be kept stops the session.
[[nodiscard]] session_actor spawn_session(caf::actor_system& system,
                                          session_setup setup);

} // namespace convene::actors
