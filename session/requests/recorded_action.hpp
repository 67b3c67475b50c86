#pragma once

#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/documents/action.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace convene::session {

/// The most attempts at actions of one request.
inline constexpr std::size_t actions_max = 1024;

/// An action of a request, as the log has it.
struct recorded_action {
  protocol::action what;
  std::uint32_t attempt = 0; ///< the latest, from 1
  /// Whether its participant said what came of that attempt. If not, it is
  /// unknown, whatever ended it.
  bool ended = false;
  protocol::action_result result; ///< of the latest attempt, once it has ended

  bool operator==(const recorded_action&) const = default;
};

/// What the participant of a request has done so far: before a crash, or in the
/// request that this one takes up after a suspension.
struct recorded_actions {
  /// Of the request in which they began: what idempotency keys are made of.
  protocol::uuid first_token;
  std::vector<recorded_action> all; ///< in the order in which they began

  bool operator==(const recorded_actions&) const = default;
};

} // namespace convene::session
