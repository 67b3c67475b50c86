#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/common.hpp>

#include <cstdint>

// MAP events as values of their own, for whoever reads a log. The writers of
// protocol/events/map_event.hpp make the same events on the hot path.

namespace convene::protocol {

/// The nine of mplp-map-event.schema.json, and the hand-off that only the
/// native form has.
enum class map_event_type : std::uint8_t {
  session_started,
  roles_assigned,
  turn_dispatched,
  turn_completed,
  broadcast_sent,
  broadcast_received,
  conflict_detected,
  conflict_resolved,
  session_completed,
  handoff_initiated
};
CONVENE_WORDS(map_event_type, "MAPSessionStarted", "MAPRolesAssigned",
              "MAPTurnDispatched", "MAPTurnCompleted", "MAPBroadcastSent",
              "MAPBroadcastReceived", "MAPConflictDetected",
              "MAPConflictResolved", "MAPSessionCompleted",
              "MAPHandoffInitiated");

/// What native MAP events are filed under; not the twelve families.
enum class map_family : std::uint8_t {
  graph_update,
  runtime_execution,
  communication,
  conflict
};
CONVENE_WORDS(map_family, "GraphUpdateEvent", "RuntimeExecutionEvent",
              "CommunicationEvent", "ConflictEvent");

/// The family of each type (docs/events.md 1).
[[nodiscard]] map_family family_of(map_event_type type) noexcept;

/// An event of a session of several (mplp-map-event.schema.json), or the same
/// in native form, which has an `event_family`.
struct map_event {
  std::string event_id; ///< UUID
  map_event_type event_type = map_event_type::session_started;
  std::optional<map_family> event_family; ///< native form only
  std::string session_id;                 ///< UUID: the Collab's `collab_id`
  std::string timestamp;                  ///< date-time
  std::optional<std::string> initiator_role;
  std::optional<std::vector<std::string>> target_roles;
  std::optional<json::object> payload; ///< see `map_payload`

  bool operator==(const map_event&) const = default;
};

} // namespace convene::protocol
