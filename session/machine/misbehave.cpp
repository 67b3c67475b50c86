// What a build of the tests can do wrong, so that they prove to notice; the
// product has none of it.

#ifdef CONVENE_MUTANTS

#include <convene/session/machine/append.hpp>

namespace convene::session {

bool machine::misbehave(const answer& late) {
  if (late.token != slots_[late.from].last_token)
    return false;
  if (off(mutant::late_reply_check)) {
    append(protocol::map_turn_completed{.who = name_of(late.from),
                                        .turn_number = tally_.turns,
                                        .token_id = late.token,
                                        .status = "completed",
                                        .reply = &late.reply});
    return true;
  }
  if (late.reply.handoff && off(mutant::one_handoff)) {
    append(protocol::map_handoff_initiated{.handoff_id = next_id(),
                                           .from = name_of(late.from),
                                           .to = name_of(late.from),
                                           .token_id = late.token,
                                           .turn_number = tally_.turns});
    return true;
  }
  return false;
}

} // namespace convene::session

#endif
