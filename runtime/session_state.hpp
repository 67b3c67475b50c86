#pragma once

#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/documents/collab.hpp>
#include <convene/protocol/documents/reply.hpp>

#include <cstdint>
#include <string>

namespace convene {

/// How a session stands at a moment, as of its latest input. The log may not
/// have all of it yet.
struct session_state {
  protocol::collab_status status = protocol::collab_status::active;
  bool ended = false; ///< `await` returns at once
  /// The participant that has the turn; empty: none has.
  std::string turn_holder;
  protocol::timestamp_ms turn_started_at = 0; ///< of the latest turn; 0: none
  protocol::timestamp_ms last_at = 0;         ///< of the latest input; 0: none
  std::uint32_t turns = 0;                    ///< dispatched so far
  std::uint32_t broadcasts = 0;
  std::uint32_t conflicts = 0;
  std::uint32_t handoffs = 0;
  std::uint32_t open_requests = 0; ///< not yet answered
  protocol::usage usage;           ///< of all replies and actions
};

} // namespace convene
