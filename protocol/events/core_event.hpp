#pragma once

#include <convene/protocol/documents/plan.hpp>
#include <convene/protocol/events/map_event.hpp>

// The core events that a session appends beside its MAP events. They satisfy
// mplp-pipeline-stage-event, mplp-graph-update-event and
// mplp-runtime-execution-event; `session_id` is an extra member, which
// mplp-event-core allows.

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
  std::string_view stage_name;   ///< empty: none
  std::int64_t stage_order = -1; ///< below 0: none
  std::string_view from_status;
  std::string_view to_status;
  std::string_view reason;
  std::string_view target_id; ///< of a confirm
};

/// The project graph grew by a plan or a step (family graph_update).
struct node_added {
  std::string_view event_type;
  std::string_view graph_id;
  std::int64_t node_delta = 1;
  std::int64_t edge_delta = 0;
  std::string_view payload_name;
  std::string_view payload_value; ///< JSON text
};

/// Something that went into the session machine and that no other event
/// carries (family runtime_execution).
struct session_input {
  uuid execution_id;
  std::string_view executor_kind; ///< "agent" or "worker"
  std::string_view executor_role; ///< empty: none
  std::string_view payload;       ///< JSON text of an object
};

/// A session_input of its own, since orchestrated sessions are full of them:
/// what an orchestrator answered.
struct decision_input {
  uuid execution_id;
  actor_name who;
  uuid request_id;
  const protocol::reply* reply = nullptr; ///< never null
};

/// Appends one line with its line end. Text must be UTF-8.
void encode(byte_buffer& out, const event_head&, const stage_changed&);
void encode(byte_buffer& out, const event_head&, const node_added&);
void encode(byte_buffer& out, const event_head&, const session_input&);
void encode(byte_buffer& out, const event_head&, const decision_input&);

} // namespace convene::protocol
