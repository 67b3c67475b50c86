#pragma once
#pragma GCC system_header // for include_next

#include <convene/protocol/events/map_event.hpp>
#include <convene/session/conflicts/dispute_log.hpp>
#include <convene/session/mutant.hpp>
#include <convene/session/requests/request_slot.hpp>

#define checks product_checks
#include_next <convene/session/machine/turn_checks.hpp>
#undef checks

namespace convene::session::checks {

[[nodiscard]] inline bool is_answered(const open_request* open,
                                      const protocol::uuid& token) noexcept {
  return product_checks::is_answered(open, token)
         || (open != nullptr && off(mutant::token_check));
}

/// Two mutants let a late answer complete its turn again, or hand it off again.
inline void take_without_request(const membership& who, journal& log,
                                 participant_index from,
                                 const protocol::uuid& token,
                                 const protocol::reply& reply, bool late,
                                 participant_index turn_holder) {
  const auto name = who.name_of(from);
  const auto turn = log.counts().turns;
  if (late && off(mutant::late_reply_check))
    log.append(protocol::map_turn_completed{.who = name,
                                            .turn_number = turn,
                                            .token_id = token,
                                            .status = "completed",
                                            .reply = &reply});
  else if (late && reply.handoff && off(mutant::one_handoff))
    log.append(protocol::map_handoff_initiated{.handoff_id = log.next_id(),
                                               .from = name,
                                               .to = name,
                                               .token_id = token,
                                               .turn_number = turn});
  else
    product_checks::take_without_request(who, log, from, token, reply, late,
                                         turn_holder);
}

[[nodiscard]] inline protocol::map_turn_completed
completion_of(const open_request& turn, const journal& log) noexcept {
  auto made = product_checks::completion_of(turn, log);
  if (off(mutant::completion_matching))
    made.turn_number = log.counts().turns;
  return made;
}

[[nodiscard]] inline bool may_hand_on(std::int64_t depth,
                                      std::int64_t depth_max) noexcept {
  return off(mutant::handoff_depth)
         || product_checks::may_hand_on(depth, depth_max);
}

} // namespace convene::session::checks
