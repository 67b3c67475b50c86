// Who is gone, and who is back.

#include <convene/session/machine/machine.hpp>
#include <convene/session/spec/normalise.hpp>

#include <utility>

namespace convene::session {

consequence machine::on(participant_down&& down) {
  if (down.who >= requests_.size() || members_[down.who].lost) {
    ++log_.counts().refused;
    return {};
  }
  normalise_reason(down.reason);
  log_simple_input("participant_down", down.who, down.reason);
  members_.lose(down.who);
  progress_.note_down(down.who,
                      members_.turn_takers(policy_->needs_orchestrator));
  actions_.close_all_of(down.who, "participant_lost");
  arbiter_.claims().end_all_of(down.who);
  if (arbiter_.lose_voter(down.who))
    follow(after_conflicts());
  lose_receiver(down.who);
  return ended() ? consequence{} : without(down);
}

/// How the session goes on: its lost participant's request is closed, and a
/// deputy leads in its place.
consequence machine::without(const participant_down& lost) {
  const auto who = lost.who;
  const bool led = policy_->needs_orchestrator
                   && who == members_.who().orchestrator;
  const bool replaced = led && members_.promote_deputy();
  if (status_ != protocol::collab_status::active)
    return {};
  if (led && !replaced)
    return cancel_by("orchestrator_lost", std::string{members_[who].id});
  const auto* open = requests_.find(who);
  if (open == nullptr)
    return ask(occasion::roster_changed);
  if (open->kind == request_kind::turn) {
    const auto step = close_turn(who, turn_status::failed, nullptr,
                                 "participant_lost", lost.reason)
                        .step;
    return ask(occasion::turn_closed, {.participant = who,
                                       .status = turn_status::failed,
                                       .step = step});
  }
  if (open->kind == request_kind::broadcast) {
    close_answer(who, "failed", nullptr, "participant_lost", lost.reason);
    return close_broadcast_if_done();
  }
  forget(who, "participant_lost");
  briefing_.tell_again();
  // A deputy is asked at once what the lost one was asked.
  return ask(led ? occasion::steps_changed : occasion::roster_changed);
}

consequence machine::on(participant_up&& up) {
  if (up.who >= requests_.size() || !members_[up.who].lost) {
    ++log_.counts().refused;
    return {};
  }
  log_simple_input("participant_up", up.who, {});
  members_.bring_back(up.who);
  return ask(occasion::roster_changed);
}

} // namespace convene::session
