#pragma once

#include <convene/protocol/events/map_event.hpp>
#include <convene/session/conflicts/dispute_log.hpp>
#include <convene/session/requests/request_slot.hpp>

// What answers and turns are judged by, one check each.

namespace convene::session::checks {

/// Whether a participant's open request, if any, has this token.
[[nodiscard]] inline bool is_answered(const open_request* open,
                                      const protocol::uuid& token) noexcept {
  return open != nullptr && open->token == token;
}

/// An answer that names no live request counts for nothing: it is logged as a
/// conflict. `late`: its request has closed.
inline void take_without_request(const membership& who, journal& log,
                                 participant_index from,
                                 const protocol::uuid& token,
                                 const protocol::reply& reply, bool late,
                                 participant_index turn_holder) {
  reject_answer(who, log, from, token, reply, late, turn_holder);
}

/// The end of a turn, as far as its request tells.
[[nodiscard]] inline protocol::map_turn_completed
completion_of(const open_request& turn, const journal& log) noexcept {
  return {.turn_number = turn.turn_number,
          .token_id = turn.token,
          .duration_ms = log.now() - turn.issued_at};
}

/// Whether a turn that was handed on `depth` times may be handed on again.
[[nodiscard]] constexpr bool may_hand_on(std::int64_t depth,
                                         std::int64_t depth_max) noexcept {
  return depth < depth_max;
}

} // namespace convene::session::checks
