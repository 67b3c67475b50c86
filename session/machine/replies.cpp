// What an accepted answer means for the session.

#include <convene/session/machine/append.hpp>
#include <convene/session/spec/normalise.hpp>

#include <iterator>
#include <utility>

namespace convene::session {
namespace {

using protocol::reply;
using protocol::reply_error;
using protocol::reply_status;

/// Decisions in a row that may fail before the session gives up on its
/// orchestrator.
constexpr std::uint32_t decisions_failed_max = 3;

turn_status status_of(const reply& what) {
  switch (what.status) {
    case reply_status::completed:
      return turn_status::completed;
    case reply_status::failed:
      return turn_status::failed;
    case reply_status::declined:
      return turn_status::declined;
  }
  return turn_status::failed;
}

} // namespace

std::optional<reply_error> machine::why_not(const reply& what,
                                            bool holds_turn) const {
  if (what.handoff && !holds_turn)
    return reply_error{"handoff_needs_turn",
                       "only the holder of a turn can hand it on; leave "
                       "`handoff` out"};
  if (!what.claim.empty() && policy_->takes_turns)
    return reply_error{"claim_not_supported",
                       "where turns are taken, the turn alone gives the right "
                       "to write; leave `claim` out"};
  if (what.vote)
    return reply_error{"vote_not_supported",
                       "nobody asked for a vote; leave `vote` out"};
  if (plan_.size() + what.tasks.size() > steps_max)
    return reply_error{"steps_max", "the plan would have more than "
                                      + std::to_string(steps_max) + " steps"};
  return std::nullopt;
}

void machine::add_usage(const protocol::usage& what) {
  tally_.usage = tally_.usage + what;
}

void machine::record_reply(participant_index who, const reply& what,
                           bool refused) {
  participants_[who].votes_end = what.end && !refused;
  add_usage(what.usage);
  if (!refused && what.status == reply_status::completed)
    ending_.record_reply(participants_[who], what.content);
  if (!what.content.empty())
    talk_.add({.participant = who, .at = now_, .content = what.content});
}

void machine::take_turn_answer(participant_index who, reply&& what) {
  const auto held = *slots_[who].open;
  auto receiver = no_participant;
  auto problem = why_not(what, true);
  if (!problem)
    problem = why_no_handoff(who, what, receiver);
  const auto status = problem                      ? turn_status::failed
                      : receiver != no_participant ? turn_status::handed_off
                                                   : status_of(what);
  const auto& error = problem ? *problem : what.error;
  record_reply(who, what, problem.has_value());
  if (is_done(status))
    take_claims(who, what);
  take_writes(who, what, is_done(status));
  close_turn(who, status, &what, error.code, error.message);
  if (is_done(status))
    add_tasks(what.tasks);
  if (status == turn_status::handed_off)
    hand_off(who, receiver, held, *what.handoff);
  ask(occasion::turn_closed, {.participant = who,
                              .status = status,
                              .step = held.step,
                              .end = !problem && what.end});
}

void machine::take_broadcast_answer(participant_index who, reply&& what) {
  const auto problem = why_not(what, false);
  const auto& error = problem ? *problem : what.error;
  record_reply(who, what, problem.has_value());
  const auto status = problem ? std::string_view{"failed"}
                              : to_word(what.status);
  take_writes(who, what, status == "completed");
  close_answer(who, status, &what, error.code, error.message);
  if (status == "completed")
    add_tasks(what.tasks);
  finish_broadcast_if_done();
}

void machine::take_decision(participant_index who, reply&& what) {
  const auto token = slots_[who].open->token;
  forget(who);
  append(protocol::decision_input{.execution_id = next_id(),
                                  .who = name_of(who),
                                  .request_id = token,
                                  .reply = &what});
  refuse_writes(who, token, what);
  const auto problem = why_not(what, false);
  record_reply(who, what, problem.has_value());
  if (what.status != reply_status::completed)
    return decision_failed("the orchestrator replied "
                           + std::string{to_word(what.status)} + ": "
                           + what.error.message);
  if (problem)
    return decision_failed(problem->message);
  const auto turns = held_turns();
  auto decided = resolve(what.decision, {.spec = &spec_,
                                         .who = &roster_,
                                         .plan = &plan_,
                                         .participants = participants_,
                                         .open = turns,
                                         .last_turn = turn_.turn_index,
                                         .broadcasts = tally_.broadcasts,
                                         .has_news = !last_is_told_});
  if (!decided) {
    const auto& why = decided.error();
    return decision_failed(why.rule.empty() ? why.message
                                            : why.rule + ": " + why.message);
  }
  decisions_failed_ = 0;
  told_.clear();
  add_tasks(what.tasks);
  // What it would wait for has come meanwhile: then it is asked again.
  const bool waits = !decided->empty() || !open_.empty() || !waiting_.empty();
  ask(waits ? occasion::decided : occasion::steps_changed, {}, *decided);
}

/// Nothing was decided: the next to decide is told what closed, too.
void machine::tell_again() {
  auto& told = last_.also_closed;
  told.insert(told.begin(), std::make_move_iterator(told_.begin()),
              std::make_move_iterator(told_.end()));
  told_.clear();
  if (told.size() > decision_view::also_closed_max)
    told.erase(told.begin(), told.end() - decision_view::also_closed_max);
}

void machine::decision_failed(std::string why) {
  tell_again();
  last_.refused = why;
  if (++decisions_failed_ >= decisions_failed_max)
    return end(false, "orchestrator_failed", std::move(why),
               decisions_failed_max);
  ask(occasion::steps_changed);
}

} // namespace convene::session
