#pragma once

#include <convene/protocol/documents/reply.hpp>
#include <convene/session/requests/request.hpp>

#include <cstdint>
#include <map>

namespace convene::session {

using usage_by_participant = std::map<participant_index, protocol::usage>;

/// Counters of a session, for results and progress.
struct tally {
  std::uint32_t turns = 0; ///< dispatched
  std::uint32_t broadcasts = 0;
  std::uint32_t receipts = 0; ///< of broadcasts: MAPBroadcastReceived
  std::uint32_t conflicts = 0;
  std::uint32_t handoffs = 0;
  std::uint32_t refused = 0; ///< inputs that changed only this number
  protocol::usage usage;
};

} // namespace convene::session
