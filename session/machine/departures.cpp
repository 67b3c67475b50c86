// Who is gone, and who is back.

#include <convene/session/machine/append.hpp>
#include <convene/session/spec/normalise.hpp>

#include <utility>

namespace convene::session {

void machine::on(participant_down&& down) {
  if (down.who >= slots_.size() || participants_[down.who].lost) {
    ++tally_.refused;
    return;
  }
  normalise_reason(down.reason);
  log_simple_input("participant_down", down.who, down.reason);
  participants_[down.who].lost = true;
  can_act_ -= participants_[down.who].acting ? 1 : 0;
  progress_.note_down(down.who, turn_takers());
  end_claims_of(down.who);
  lose_voter(down.who);
  lose_receiver(down.who);
  if (ended())
    return;
  const bool led = policy_->needs_orchestrator
                   && down.who == roster_.orchestrator;
  const bool replaced = led && promote_deputy();
  if (status() != protocol::collab_status::active)
    return;
  if (led && !replaced)
    return end(false, "orchestrator_lost",
               std::string{participants_[down.who].id});
  const auto open = slots_[down.who].open;
  if (!open) {
    ask(occasion::roster_changed);
  } else if (open->kind == request_kind::turn) {
    close_turn(down.who, turn_status::failed, nullptr, "participant_lost",
               down.reason);
    ask(occasion::turn_closed, {.participant = down.who,
                                .status = turn_status::failed,
                                .step = open->step});
  } else if (open->kind == request_kind::broadcast) {
    close_answer(down.who, "failed", nullptr, "participant_lost", down.reason);
    finish_broadcast_if_done();
  } else {
    forget(down.who);
    tell_again();
    // A deputy is asked at once what the lost one was asked.
    ask(led ? occasion::steps_changed : occasion::roster_changed);
  }
}

bool machine::promote_deputy() {
  const auto deputy = roster_.deputy;
  if (deputy == no_participant || !participants_[deputy].can_act())
    return false;
  if (roster_.initiator == roster_.orchestrator)
    roster_.initiator = deputy;
  roster_.orchestrator = deputy;
  roster_.deputy = no_participant;
  return true;
}

void machine::on(participant_up&& up) {
  if (up.who >= slots_.size() || !participants_[up.who].lost) {
    ++tally_.refused;
    return;
  }
  log_simple_input("participant_up", up.who, {});
  participants_[up.who].lost = false;
  can_act_ += participants_[up.who].acting ? 1 : 0;
  ask(occasion::roster_changed);
}

} // namespace convene::session
