#pragma once

#include <convene/protocol/events/core_event.hpp>
#include <convene/protocol/events/map_event.hpp>

// What a session appends about its shared resources. The core events satisfy
// mplp-graph-update-event and mplp-runtime-execution-event, like those of
// core_event.hpp.

namespace convene::protocol {

/// Which resource, who did something to it, and by what right.
struct resource_act {
  std::string_view resource_type;
  std::string_view resource_id;
  actor_name who;                ///< empty: nobody
  std::uint32_t turn_number = 0; ///< 0: none
  uuid token_id;                 ///< of the request that it came with
};

/// What a write does to the resource's node in the graph.
enum class node_change : std::uint8_t { added, updated, removed };

/// A resource has a new version (family graph_update).
struct resource_written {
  resource_act act;
  std::string_view graph_id;
  node_change change = node_change::updated;
  graph_delta delta;
  std::string_view step_id;  ///< whose turn wrote it; empty: no step's
  std::uint64_t version = 1; ///< the new one
  std::int64_t base_version = 0;
  write_op op = write_op::put; ///< turns the version before into this one
  const json::value* value = nullptr;
  uuid conflict_id;   ///< nil: there was none
  bool input = false; ///< came as an input of its own, not in a reply
};

/// A write that cannot be carried out, whoever makes it (family
/// runtime_execution).
struct write_refused {
  resource_act act;
  uuid execution_id;
  const resource_write* write = nullptr;
  std::string_view error_code;
  std::string_view error_message;
  bool input = false; ///< as above; then the whole write is in the event
};

enum class claim_event_kind : std::uint8_t {
  taken,
  released,
  handed_over,
  refused
};

/// A claim came or went (family graph_update: an edge from its holder to the
/// resource, which is in the graph as long as it is written or claimed), or
/// could not be carried out (family runtime_execution).
struct claim_event {
  claim_event_kind kind = claim_event_kind::taken;
  resource_act act;
  std::string_view graph_id;
  bool renewed = false;        ///< taken: by who held it already
  bool unwritten = false;      ///< the resource has no version
  actor_name to;               ///< handed_over
  timestamp_ms expires_at = 0; ///< 0: none
  std::string_view reason;     ///< released
  uuid execution_id;           ///< refused, like what follows
  const protocol::claim* claim = nullptr;
  std::string_view error_code;
  std::string_view error_message;
  bool input = false; ///< as above
};

/// The session began with these resources (family graph_update).
struct workspace_opened {
  std::string_view graph_id;
  std::size_t resources = 0;
};

} // namespace convene::protocol
