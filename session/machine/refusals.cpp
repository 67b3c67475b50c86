// Inputs that name no live request of their sender: they change nothing, and
// the log says so until there have been too many.

#include <convene/session/machine/machine.hpp>
#include <convene/session/machine/turn_checks.hpp>
#include <convene/session/spec/normalise.hpp>

#include <utility>

namespace convene::session {

bool machine::note_violation(participant_index who) {
  if (requests_.note_violation(who))
    return true;
  ++log_.counts().refused;
  return false;
}

consequence machine::after_violations(participant_index who) {
  const auto* open = requests_.find(who);
  if (open == nullptr || open->kind != request_kind::turn)
    return {};
  const auto step
    = close_turn(who, turn_status::failed, nullptr, "too_many_violations",
                 "answered too often with a token that is not live")
        .step;
  return ask(occasion::turn_closed,
             {.participant = who, .status = turn_status::failed, .step = step});
}

consequence machine::refuse(answer&& late) {
  const auto who = late.from;
  const bool stale = requests_.is_late(who, late.token);
  log_.notify(who, late.token, "refused",
              stale ? "stale_token" : "exclusive_write_violation");
  if (!note_violation(who))
    return after_violations(who);
  normalise(late.reply);
  checks::take_without_request(members_, log_, who, late.token, late.reply,
                               stale, turn_.current_turn_holder);
  return {};
}

} // namespace convene::session
