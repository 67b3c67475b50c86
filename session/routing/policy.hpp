#pragma once

#include <boost/container/small_vector.hpp>
#include <convene/protocol/base/api.hpp>
#include <convene/session/options/options.hpp>
#include <convene/session/plan/plan_book.hpp>
#include <convene/session/requests/request.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace convene::session {

/// Give `participant` a turn.
struct dispatch {
  participant_index participant = no_participant;
  /// Must be ready, and name no resource of another one dispatched beside it.
  step_index step = no_step;
  std::string task; ///< empty: the step's description, else the session's task
  std::string_view duty; ///< a constant of the policy's, or empty
  bool may_write = true; ///< false: read-only
  /// With `handed_by` the turn is a handoff by them, and logged as one.
  protocol::shared_value<turn_terms> terms;
};

/// Ask everybody who can act except the initiator, and collect the answers.
/// Ready steps are sent along to their assignees.
struct broadcast {
  /// Counted from 1. One that was cut by a suspension may be repeated.
  std::uint32_t round = 1;
  std::string task; ///< empty: the session's task
};

/// Ask the orchestrator what happens next.
struct consult {};

/// End a ready step.
struct close_step {
  step_index step = no_step;
  protocol::step_status status = protocol::step_status::failed;
  std::string reason;
};

/// End the session.
struct complete {
  bool success = true; ///< false: cancelled
  /// A constant of the policy's, for stop_reason, where the words of
  /// docs/events.md keep their meaning.
  std::string_view condition;
  std::string observed;
  std::int64_t limit = -1; ///< below 0: none
};

/// An empty list of decisions means wait.
using decision
  = std::variant<dispatch, broadcast, consult, close_step, complete>;

/// Mostly one.
using decisions = boost::container::small_vector<decision, 1>;

/// What the machine knows about one participant.
struct participant_state {
  std::string_view id;
  std::string_view role;
  std::string_view role_name; ///< empty: no Role document
  bool acting = true;         ///< any kind but `system`
  bool lost = false;
  bool votes_end = false; ///< its latest reply said `end`
  bool busy = false;      ///< has an unanswered request

  [[nodiscard]] bool can_act() const noexcept {
    return acting && !lost;
  }
};

/// TurnState of the protocol. Turns are in roster order.
struct turn_state {
  participant_index current_turn_holder = no_participant;
  participant_index turn_index = no_participant; ///< of the latest turn
  protocol::timestamp_ms turn_started_at = 0;
};

/// How a turn ended.
enum class turn_status : std::uint8_t {
  completed,
  failed,
  timed_out,
  declined,
  cancelled,
  handed_off
};

/// Whether the turn did its task, or passed it on.
[[nodiscard]] constexpr bool is_done(turn_status how) noexcept {
  return how == turn_status::completed || how == turn_status::handed_off;
}

/// Why a policy is asked.
enum class occasion : std::uint8_t {
  started,
  turn_closed,      ///< `closed` has the turn; handed_off: it continues
  broadcast_closed, ///< the answers are in
  decided,          ///< `decided` has the orchestrator's answer, checked
  roster_changed,   ///< somebody without open requests is lost or back
  steps_changed,    ///< the last ruling only closed steps
  resumed,          ///< open requests have been cancelled
};

/// The turn that has just closed.
struct closed_turn {
  participant_index participant = no_participant;
  turn_status status = turn_status::completed;
  step_index step = no_step;
  bool end = false; ///< the reply voted to end
};

/// Everything a policy may look at. Valid during one call of `decide`.
struct view {
  session::occasion occasion = occasion::started;
  closed_turn closed;
  std::span<const decision> decided;

  std::span<const participant_state> participants;
  std::size_t can_act = 0; ///< how many participants can act
  /// The number of unanswered requests and of turns waiting for a busy
  /// receiver.
  std::size_t busy = 0;
  participant_index orchestrator = no_participant;
  participant_index initiator = no_participant;
  const session::options* options = nullptr;
  std::int64_t rounds = 1; ///< `options.rounds` with the mode's default

  turn_state turn;
  std::uint32_t turns = 0;      ///< dispatched so far
  std::uint32_t broadcasts = 0; ///< sent so far
  missed_quorum missed;         ///< by the last broadcast
  /// The plan whose steps become turns; null: none.
  const plan_book* plan = nullptr;
};

/// A small value that the machine keeps for the policy between calls; initially
/// null.
using memory = protocol::json::value;

/// The result of a policy.
struct ruling {
  session::decisions decisions;
  session::memory memory;
};

/// One decision is all: it moves into the ruling, where a list of one would be
/// copied.
template <class Decision, class Memory>
[[nodiscard]] ruling only(Decision&& what, Memory&& kept) {
  ruling made{.memory = std::forward<Memory>(kept)};
  made.decisions.emplace_back(std::forward<Decision>(what));
  return made;
}

/// A way of collaborating: a name, a summary sentence and a pure function. The
/// machine, not the policy, owns tokens, limits and events: a decision that
/// they do not allow, and an exception, cancel the session (`policy_fault`).
struct routing_policy {
  std::string_view name;
  std::string_view summary;
  std::int64_t rounds_default = 1;
  /// At most one live token, or several with disjoint resources.
  bool takes_turns = true;
  bool needs_plan = false;         ///< without one, the task becomes its step
  bool needs_orchestrator = false; ///< losing it ends the session
  /// Whether rounds or the plan bound its broadcasts. If not, `max_turns` does.
  bool counts_rounds = false;
  /// Whether a step may have another turn after one that failed as
  /// outcome_unknown. If not, the step has failed: what it did may have
  /// happened.
  bool repeats_unknown = true;
  ruling (*decide)(const view& now, memory kept) = nullptr;
};

/// The first participant after `from` in the roster, wrapping around, that can
/// act; `from` itself comes last. With `no_participant`, the first of all.
/// Returns `no_participant` if nobody can act.
[[nodiscard]] CONVENE_API participant_index
next_acting(const view& now, participant_index from) noexcept;

/// Whether all who can act vote to end.
[[nodiscard]] CONVENE_API bool all_vote_end(const view& now) noexcept;

/// Whether it is one of their role_id, Role name and id.
[[nodiscard]] CONVENE_API bool goes_by(const participant_state& who,
                                       std::string_view name) noexcept;

/// Whether `who` can act and may take `step`: it is assigned to it, names no
/// role, or one that they go by.
[[nodiscard]] inline bool fits(const view& now, participant_index who,
                               step_index step) {
  const auto& someone = now.participants[who];
  const auto& role = now.plan->step(step).agent_role;
  return someone.can_act()
         && (!role || now.plan->state(step).assigned == who
             || goes_by(someone, *role));
}

/// Fails the ready steps that have used their first attempt and `retries` more.
[[nodiscard]] CONVENE_API decisions close_exhausted(const view& now);

/// The end of a session whose plan has nothing left to do: `plan_complete`, or
/// `plan_failed`, which is no success, if steps failed.
[[nodiscard]] CONVENE_API complete plan_end(const view& now);

/// The end that a policy decided on, held to its plan: if steps failed, a
/// success becomes `plan_failed`.
[[nodiscard]] CONVENE_API complete held_to(const plan_book& plan,
                                           complete&& end);

} // namespace convene::session
