#pragma once

#include <convene/protocol/documents/action.hpp>
#include <convene/protocol/documents/plan.hpp>
#include <convene/protocol/events/map_event.hpp>

#include <optional>
#include <span>

// The core events that a session appends beside its MAP events. They satisfy
// mplp-pipeline-stage-event, mplp-graph-update-event,
// mplp-runtime-execution-event and, for the families cost_budget and
// reasoning_graph, mplp-event-core; `session_id` is an extra member, which that
// allows.

namespace convene::protocol {

/// What a stage event is about.
enum class stage_resource : std::uint8_t { plan, step, confirm };
CONVENE_WORDS(stage_resource, "plan", "step", "confirm");

/// A Plan, Step or Confirm changed its status (family pipeline_stage).
struct stage_changed {
  std::string_view event_type;
  stage_resource resource = stage_resource::plan;
  std::string_view pipeline_id;
  std::string_view stage_id;
  std::string_view resource_id;
  std::string_view stage_status;
  std::string_view stage_name;  ///< of a step
  std::int64_t stage_order = 0; ///< of a step, from 0
  std::string_view from_status;
  std::string_view to_status;
  std::string_view reason;
  std::string_view target_id; ///< of a confirm
};

/// What an event of the family graph_update changes: how many nodes and edges
/// the graph of the session has more; less, if negative.
struct graph_delta {
  std::int64_t nodes = 0;
  std::int64_t edges = 0;

  bool operator==(const graph_delta&) const = default;
};

/// A session makes itself a Plan; it belongs to the Context that the graph has
/// its id from. What is shown of a step is what a new one has (family
/// graph_update).
struct plan_created {
  std::string_view context_id;
  graph_delta delta;
  std::string_view plan_id;
  std::string_view title;
  std::string_view objective;
  std::span<const plan_step> steps;
};

/// The Plan has one more step (family graph_update).
struct step_added {
  std::string_view graph_id;
  graph_delta delta;
  const plan_step* step = nullptr; ///< never null
};

/// What a session adds to the project graph for the approval of a Plan.
enum class graph_part : std::uint8_t { confirm, decision };
CONVENE_WORDS(graph_part, "confirm", "decision");

/// The project graph grew by one of them: its word and `_added` (family
/// graph_update).
struct part_added {
  graph_part part = graph_part::confirm;
  std::string_view graph_id;
  graph_delta delta;
  std::string_view confirm_id; ///< of a decision
  std::string_view text;       ///< JSON text of the part
};

/// The graph that the session starts with, without its resources: what
/// MAPSessionStarted and MAPRolesAssigned tell (family graph_update).
struct graph_opened {
  std::string_view graph_id;
  graph_delta size;
};

/// A participant hands a turn to another for the first time (family
/// graph_update).
struct handoff_added {
  std::string_view graph_id;
  actor_name from;
  actor_name to;
};

/// The most messages of a Dialog that are in the project graph.
inline constexpr std::size_t graph_messages_max = 10'000;

/// What was said and done since the start, or since this was last told, is in
/// the Dialog and the Trace (family graph_update).
struct session_recorded {
  std::string_view graph_id;
  graph_delta delta;
  uuid dialog_id;
  uuid trace_id;
  std::size_t messages = 0; ///< that the graph has now
  std::size_t segments = 0;
};

/// Something that went into the session machine and that no other event
/// carries (family runtime_execution). Members of the payload that an input
/// does not have are empty.
struct session_input {
  uuid execution_id;
  std::string_view executor_kind = "worker"; ///< or "agent"
  std::string_view input;                    ///< which one
  actor_name who;
  uuid request_id; ///< of an answer
  std::string_view condition;
  std::optional<bool> holds; ///< of a verdict
  std::string_view observed;
  std::string_view error;
  std::string_view content;
  std::string_view reason;
  const protocol::reply* reply = nullptr; ///< an answer
};

/// A session_input of its own, since orchestrated sessions are full of them:
/// what an orchestrator answered.
struct decision_input {
  uuid execution_id;
  actor_name who;
  uuid request_id;
  const protocol::reply* reply = nullptr; ///< never null
  std::string_view refused; ///< why it is not carried out; empty: it is
};

/// Which attempt at an action of which request an event is about.
struct action_attempt {
  uuid execution_id; ///< the same when it starts and when it ends
  actor_name who;
  uuid token_id;                 ///< of the request
  std::uint32_t turn_number = 0; ///< 0: the request is no turn
  std::string_view position;
  action_kind kind = action_kind::function;
  std::uint32_t number = 1; ///< from 1, of the attempts at this position
};

/// An attempt at an action begins (family runtime_execution).
struct action_started {
  action_attempt attempt;
  const action* what = nullptr; ///< never null
};

/// It ended, or nobody waits for it any more (family runtime_execution).
struct action_ended {
  action_attempt attempt;
  const action_result* result = nullptr; ///< never null
  std::int64_t duration_ms = 0;
  /// `json_sha256` of {"action", "result"}, both as the log has them: it ties
  /// what was done to what came of it. Empty: the log has none.
  std::string_view sha256;
  bool input = false; ///< its participant said so, not the machine
};

/// What an attempt at an action used, and what its session has used with it
/// (family cost_budget).
struct usage_recorded {
  action_attempt attempt;
  std::string_view model; ///< empty: the action was no model's
  usage used;
  usage total; ///< of the session's replies and actions so far
  /// What is left of the session's budgets, from 0; unset: it has none.
  std::optional<std::int64_t> tokens_left;
  std::optional<std::int64_t> microusd_left;
};

/// An attempt at an action used up a budget (family cost_budget).
struct budget_exceeded {
  action_attempt attempt;
  std::string_view budget; ///< "tokens" or "cost_microusd"
  std::int64_t used = 0;   ///< by the session
  std::int64_t limit = 0;
};

/// One of the reasons that a participant gives.
struct given_reason {
  std::string_view text;
};

/// Why a participant answered as it did (family reasoning_graph).
struct reasons_given {
  actor_name who;
  std::uint32_t turn_number = 0; ///< 0: the request is no turn
  uuid token_id;                 ///< of the request
  std::span<const given_reason> reasoning;
};

/// The executor_kind of an action's events: llm, tool or external.
[[nodiscard]] std::string_view executor_of(action_kind kind) noexcept;

/// The status of action_ended: completed, failed or cancelled. An action that
/// timed out has failed.
[[nodiscard]] std::string_view
execution_status_of(action_status status) noexcept;

} // namespace convene::protocol
