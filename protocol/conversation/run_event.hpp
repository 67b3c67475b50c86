#pragma once

#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/conversation/interrupt.hpp>

namespace convene::protocol {

/// The types of events that tell of a conversation.
enum class run_event_type : std::uint8_t {
  node_suspended,
  interrupt_requested,
  conversation_opened,
  conversation_exchanged,
  conversation_closed,
  interrupt_resolved,
  node_resumed
};
CONVENE_WORDS(run_event_type, "node.suspended", "interrupt.requested",
              "conversation.opened", "conversation.exchanged",
              "conversation.closed", "interrupt.resolved", "node.resumed");

/// One event of a run's log (run-event.schema.json). Types and members that
/// this version does not know are kept.
struct run_event {
  std::string event_id;
  std::string run_id;
  std::string type;
  any_value payload;
  std::string timestamp;
  std::int64_t sequence = 0; ///< the first event has 0
  std::optional<std::string> node_id;
  std::optional<std::string> causation_id; ///< the event_id of its cause
  std::optional<std::int64_t> schema_version;
  std::optional<std::string> engine_version;
  json::object others; ///< further members

  bool operator==(const run_event&) const = default;
};

/// What a suspension for a conversation gives as its reason.
inline constexpr std::string_view conversation_reason = "conversation-input";

// The payloads of the events of nodes and interrupts.

struct node_suspended {
  std::string node_id;
  std::string interrupt_id;
  std::optional<std::string> key;
  std::optional<std::string> reason;
  json::object others; ///< further members

  bool operator==(const node_suspended&) const = default;
};

struct interrupt_requested {
  std::string run_id;
  std::string node_id;
  std::string interrupt_id;
  interrupt_kind kind = interrupt_kind::approval;
  std::string key;
  json::object data;
  std::string requested_at;
  std::optional<std::int64_t> timeout_ms;
  json::object others; ///< further members

  bool operator==(const interrupt_requested&) const = default;
};

struct interrupt_resolved {
  std::optional<std::string> run_id;
  std::string node_id;
  std::string interrupt_id;
  std::optional<interrupt_kind> kind;
  std::optional<any_value> resume_value;
  std::optional<std::string> resolved_at;
  std::optional<std::string> resolved_by;
  json::object others; ///< further members

  bool operator==(const interrupt_resolved&) const = default;
};

struct node_resumed {
  std::string node_id;
  std::optional<std::string> interrupt_id;
  std::optional<any_value> resume_value;
  json::object others; ///< further members

  bool operator==(const node_resumed&) const = default;
};

} // namespace convene::protocol
