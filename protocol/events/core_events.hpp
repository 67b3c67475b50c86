#pragma once

#include <convene/protocol/documents/common.hpp>
#include <convene/protocol/events/update_kind.hpp>

#include <cstdint>

// The observability events as values of their own: the core event of all
// twelve families, and the three families with members of their own. The
// writers of core_event.hpp make some of these without a value.

namespace convene::protocol {

/// The twelve families (mplp-event-core.schema.json).
enum class event_family : std::uint8_t {
  import_process,
  intent,
  delta_intent,
  impact_analysis,
  compensation_plan,
  methodology,
  reasoning_graph,
  pipeline_stage,
  graph_update,
  runtime_execution,
  cost_budget,
  external_integration
};
CONVENE_WORDS(event_family, "import_process", "intent", "delta_intent",
              "impact_analysis", "compensation_plan", "methodology",
              "reasoning_graph", "pipeline_stage", "graph_update",
              "runtime_execution", "cost_budget", "external_integration");

/// An event of any family (mplp-event-core.schema.json). The events of our
/// logs have their `session_id` among `others`.
struct core_event {
  std::string event_id; ///< UUID
  std::string event_type;
  protocol::event_family event_family = protocol::event_family::intent;
  std::string timestamp;                 ///< date-time
  std::optional<std::string> project_id; ///< UUID
  std::optional<json::object> payload;
  json::object others; ///< members that the schema does not name

  bool operator==(const core_event&) const = default;
};

enum class stage_status : std::uint8_t {
  pending,
  running,
  completed,
  failed,
  skipped
};
CONVENE_WORDS(stage_status, "pending", "running", "completed", "failed",
              "skipped");

/// A plan, a step or another stage moved on
/// (mplp-pipeline-stage-event.schema.json).
struct pipeline_stage_event {
  std::string event_id; ///< UUID
  std::string event_type;
  std::string timestamp;                 ///< date-time
  std::optional<std::string> project_id; ///< UUID
  std::string pipeline_id;               ///< UUID
  std::string stage_id;
  std::optional<std::string> stage_name;
  protocol::stage_status stage_status = protocol::stage_status::pending;
  std::optional<std::int64_t> stage_order; ///< from 0
  std::optional<json::object> payload;
  json::object others; ///< members that the schema does not name

  bool operator==(const pipeline_stage_event&) const = default;
};

/// The project graph changed (mplp-graph-update-event.schema.json). The sums
/// of all deltas are the numbers of nodes and edges.
struct graph_update_event {
  std::string event_id; ///< UUID
  std::string event_type;
  std::string timestamp;                 ///< date-time
  std::optional<std::string> project_id; ///< UUID
  std::string graph_id;                  ///< UUID
  protocol::update_kind update_kind = protocol::update_kind::node_add;
  std::int64_t node_delta = 0;
  std::int64_t edge_delta = 0;
  std::optional<std::string> source_module;
  std::optional<json::object> payload;
  json::object others; ///< members that the schema does not name

  bool operator==(const graph_update_event&) const = default;
};

enum class executor_kind : std::uint8_t { agent, tool, llm, worker, external };
CONVENE_WORDS(executor_kind, "agent", "tool", "llm", "worker", "external");

enum class execution_status : std::uint8_t {
  pending,
  running,
  completed,
  failed,
  cancelled
};
CONVENE_WORDS(execution_status, "pending", "running", "completed", "failed",
              "cancelled");

/// An agent, a tool or a model started or ended
/// (mplp-runtime-execution-event.schema.json).
struct runtime_execution_event {
  std::string event_id; ///< UUID
  std::string event_type;
  std::string timestamp;                 ///< date-time
  std::optional<std::string> project_id; ///< UUID
  std::string execution_id;              ///< UUID
  protocol::executor_kind executor_kind = protocol::executor_kind::agent;
  std::optional<std::string> executor_role;
  execution_status status = execution_status::running;
  std::optional<json::object> payload;
  json::object others; ///< members that the schema does not name

  bool operator==(const runtime_execution_event&) const = default;
};

} // namespace convene::protocol
