#pragma once

#include <convene/protocol/base/boxed.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/session/requests/request.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What the session machine stores about its requests. A process can have a
// million participants: members are ordered so that little is padding.

namespace convene::session {

/// An unanswered request.
struct open_request {
  request_kind kind = request_kind::turn;
  bool may_write = true;
  bool wrote = false; ///< a write of its holder was accepted
  std::uint32_t turn_number = 0;
  step_index step = no_step;
  protocol::uuid token;
  protocol::timestamp_ms issued_at = 0;
  protocol::timestamp_ms expires_at = 0;
  std::uint64_t revision = 0;               ///< of the workspace that it shows
  std::string_view duty;                    ///< a constant of the policy's
  protocol::shared_value<turn_terms> terms; ///< of a turn
};

/// What the machine stores for each participant besides its public state.
struct request_slot {
  std::optional<open_request> open;
  protocol::uuid last_token;    ///< of the request that closed last
  std::uint32_t requests = 0;   ///< so far
  std::uint32_t decisions = 0;  ///< of them, those of kind decision
  std::uint32_t violations = 0; ///< since the last of them
  std::uint32_t questions = 0;  ///< about conflicts, so far
  std::uint64_t revision = 0;   ///< of the workspace that they last showed
  /// Of its latest turn; absent or empty: the step's or the session's.
  protocol::boxed<std::string> task;
};

/// A broadcast that is still waiting for answers.
struct open_broadcast {
  protocol::uuid id;
  std::uint32_t round = 0;
  std::uint32_t targets = 0;
  std::uint32_t answered = 0; ///< accounted for, in whatever way
  std::uint32_t needed = 0;   ///< by the quorum
  bool ends_early = false;    ///< is done when that is reached
  std::uint32_t counted = 0;  ///< towards the quorum: completed or declined
  std::string task;           ///< empty: the session's
  std::vector<response> responses;
};

} // namespace convene::session
