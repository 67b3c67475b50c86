#pragma once

#include <convene/protocol/base/byte_buffer.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/documents/collab.hpp>
#include <convene/protocol/documents/reply.hpp>

#include <span>
#include <string_view>

// The ten MAP events as values whose text points elsewhere, for encoding on
// the hot path. docs/events.md has the table; where the protocol says so:
// mplp-map-event.schema.json and the MAP profile's payload fields.

namespace convene::protocol {

/// What every event of a session begins with.
struct event_head {
  uuid event_id;
  std::string_view session_id;
  timestamp_ms timestamp = 0;
};

/// Somebody as events name them: who it is, and as what.
struct actor_name {
  std::string_view participant_id;
  std::string_view role_id;
};

/// Why the session ended. `observed` is text; `limit` below 0 means none.
struct stop_reason {
  std::string_view condition;
  std::string_view observed;
  std::int64_t limit = -1;
};

struct map_session_started {
  protocol::mode mode = protocol::mode::round_robin;
  std::string_view policy;
  std::size_t participant_count = 0;
  std::string_view context_id;
  std::string_view title;
  std::string_view purpose;
  uuid session_key;
  std::string_view spec; ///< JSON text
  std::string_view
    spec_sha256; ///< `json_sha256` of it; empty: the log has none
  std::string_view initiator_role;
  /// The tasks in `spec`, and the array that they are there; empty: nobody
  /// knows where.
  std::span<const task> tasks = {};
  std::string_view tasks_text = {};
};

struct role_assignment {
  actor_name who;
  participant_kind kind = participant_kind::agent;
  std::string_view role_name; ///< empty: no Role document
};

struct map_roles_assigned {
  std::span<const role_assignment> assignments;
};

struct map_turn_dispatched {
  actor_name who;
  std::string_view initiator_role; ///< empty: none
  std::uint32_t turn_number = 0;
  uuid token_id;
  std::string_view task;
  timestamp_ms expires_at = 0;
  std::string_view duty;    ///< empty: none
  std::string_view step_id; ///< empty: none
  std::uint32_t attempt = 0;
  uuid handoff_id; ///< that led to it; nil: none
  /// All that it may write; null: anything.
  const std::vector<resource_ref>* resources = nullptr;
};

struct map_turn_completed {
  actor_name who;
  std::uint32_t turn_number = 0;
  uuid token_id;
  std::string_view status;
  std::int64_t duration_ms = 0;
  const protocol::reply* reply = nullptr; ///< null: there was none
  std::string_view error_code;            ///< empty: none
  std::string_view error_message;
};

/// An answer of an earlier round, as the next message carries it.
struct earlier_response {
  std::string_view participant_id;
  std::string_view status;
  std::string_view content;
};

struct map_broadcast_sent {
  actor_name broadcaster;
  uuid broadcast_id;
  std::span<const actor_name> targets;
  std::string_view task;
  std::uint32_t round = 1;
  std::span<const earlier_response> responses;
  /// How far the round before missed its quorum; needed 0: it did not.
  std::uint32_t answered_before = 0;
  std::uint32_t needed_before = 0;
  std::int64_t deadline_ms = 0; ///< from now to `expires_at`
  timestamp_ms expires_at = 0;
};

struct map_broadcast_received {
  actor_name receiver;
  uuid broadcast_ref;
  std::string_view status;
  std::int64_t duration_ms = 0;
  const protocol::reply* reply = nullptr; ///< null: there was none
  std::string_view error_code;            ///< empty: none
  std::string_view error_message;
};

struct map_conflict_detected {
  uuid conflict_id;
  std::string_view resource_type;
  std::string_view resource_id;
  std::span<const actor_name> conflicting;
  std::string_view conflict_type;
  std::string_view details; ///< JSON text of an object
};

/// Which side of a conflict somebody was for.
struct vote_cast {
  std::string_view participant_id;
  std::string_view in_favour_of; ///< participant id
};

struct map_conflict_resolved {
  uuid conflict_id;
  std::string_view resolution_strategy;
  actor_name winner; ///< empty: nobody
  std::span<const actor_name> losers;
  std::span<const std::uint64_t> overridden_versions; ///< of the losers
  std::span<const vote_cast> votes;
  std::string_view reason;
};

struct map_handoff_initiated {
  uuid handoff_id;
  actor_name from;
  actor_name to;
  uuid token_id; ///< of the turn that the giver held, or of its decision
  std::uint32_t turn_number = 0; ///< 0: it was a decision
  std::string_view plan_id;      ///< empty: none, like all that follow
  std::string_view step_id;
  std::string_view instructions;
  std::string_view reason;
};

struct map_session_completed {
  collab_status status = collab_status::completed;
  std::size_t participants_count = 0;
  std::uint32_t turns_total = 0;
  std::uint32_t broadcasts_count = 0;
  std::uint32_t conflicts_count = 0;
  std::uint32_t handoffs_count = 0;
  std::int64_t duration_ms = 0;
  protocol::usage usage;
  protocol::stop_reason stop_reason;
};

} // namespace convene::protocol
