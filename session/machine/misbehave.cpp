// What a build of the tests can do wrong, so that they prove to notice; the
// product has none of it.

#ifdef CONVENE_MUTANTS

#include <convene/session/machine/machine.hpp>
#include <convene/session/mutants/mutant.hpp>

namespace convene::session {

bool machine::misbehave(const answer& late) {
  if (!requests_.is_late(late.from, late.token))
    return false;
  if (off(mutant::late_reply_check)) {
    log_.append(protocol::map_turn_completed{.who = members_.name_of(late.from),
                                             .turn_number = counts().turns,
                                             .token_id = late.token,
                                             .status = "completed",
                                             .reply = &late.reply});
    return true;
  }
  if (late.reply.handoff && off(mutant::one_handoff)) {
    log_.append(
      protocol::map_handoff_initiated{.handoff_id = log_.next_id(),
                                      .from = members_.name_of(late.from),
                                      .to = members_.name_of(late.from),
                                      .token_id = late.token,
                                      .turn_number = counts().turns});
    return true;
  }
  return false;
}

} // namespace convene::session

#endif
