#pragma once

#include <convene/protocol/documents/common.hpp>

namespace convene::protocol {

/// How a session's participants take turns (Collab.mode).
enum class mode : std::uint8_t {
  broadcast,
  round_robin,
  orchestrated,
  swarm,
  pair
};
CONVENE_WORDS(mode, "broadcast", "round_robin", "orchestrated", "swarm",
              "pair");

enum class collab_status : std::uint8_t {
  draft,
  active,
  suspended,
  completed,
  cancelled
};
CONVENE_WORDS(collab_status, "draft", "active", "suspended", "completed",
              "cancelled");

enum class participant_kind : std::uint8_t { agent, human, system, external };
CONVENE_WORDS(participant_kind, "agent", "human", "system", "external");

/// A participant of a session.
struct participant {
  std::string participant_id; ///< not empty, unique in the session
  std::optional<std::string> role_id;
  participant_kind kind = participant_kind::agent;
  std::optional<std::string> display_name;

  bool operator==(const participant&) const = default;
};

/// A multi-agent session (mplp-collab.schema.json). Its `collab_id` is the
/// `session_id` of all its events.
struct collab {
  metadata meta;
  std::optional<protocol::governance> governance;
  std::string collab_id;  ///< v4 UUID
  std::string context_id; ///< v4 UUID
  std::string title;      ///< not empty
  std::string purpose;    ///< not empty
  protocol::mode mode = protocol::mode::round_robin;
  collab_status status = collab_status::draft;
  std::vector<participant> participants; ///< at least one
  std::string created_at;                ///< date-time
  std::optional<std::string> updated_at;
  std::optional<trace_base> trace;
  std::optional<std::vector<base_event>> events;

  bool operator==(const collab&) const = default;
};

} // namespace convene::protocol
