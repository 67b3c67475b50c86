// What an accepted answer means for the session.

#include <boost/json/serialize.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/session/machine/machine.hpp>
#include <convene/session/spec/modules.hpp>
#include <convene/session/spec/normalise.hpp>
#include <convene/session/spec/security.hpp>

#include <string>
#include <utility>

namespace convene::session {
namespace {

using protocol::reply;
using protocol::reply_error;
using protocol::reply_status;

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

/// What an orchestrator's reply decides, or why it cannot be carried out.
protocol::result<std::vector<decision>>
judge(const reply& what, const std::optional<reply_error>& problem,
      const decision_context& now) {
  if (what.status != reply_status::completed)
    return protocol::fail(protocol::errc::not_allowed,
                          "the orchestrator replied "
                            + std::string{to_word(what.status)} + ": "
                            + what.error.message);
  if (problem)
    return protocol::fail(protocol::errc::not_allowed, problem->message);
  return resolve(what.decision, now);
}

/// The decisions and new work of a reply, without what it says.
std::string decided_words(const reply& what) {
  return boost::json::serialize(
    encode(reply{.tasks = what.tasks, .decision = what.decision}));
}

} // namespace

std::optional<reply_error> machine::why_not(participant_index who,
                                            const reply& what,
                                            bool holds_turn) const {
  if (what.handoff && !holds_turn)
    return reply_error{"handoff_needs_turn",
                       "only the holder of a turn can hand it on; leave "
                       "`handoff` out"};
  if (!what.claim.empty() && policy_->takes_turns)
    return reply_error{"claim_not_supported",
                       "where turns are taken, the turn alone gives the right "
                       "to write; leave `claim` out"};
  if (what.claim_all && !what.claim.empty() && !holds_turn)
    return reply_error{"claim_needs_turn",
                       "only the holder of a turn can claim; leave `claim` and "
                       "`claim_all` out"};
  if (what.vote)
    return reply_error{"vote_not_supported",
                       "nobody asked for a vote; leave `vote` out"};
  if (what.tasks.empty())
    return std::nullopt;
  const auto& about = spec_.context.governance;
  if (about && about->locked.value_or(false))
    return reply_error{"locked",
                       "the Context is locked, and a Plan with it; leave "
                       "`tasks` out"};
  if (auto lacks = why_no_module(spec_, what))
    return lacks;
  for (const auto& task : what.tasks)
    if (auto why = why_nobody_fits(spec_, members_.who(), task.role);
        !why.empty())
      return reply_error{"role_unknown", std::move(why)};
  if (plan_.book().size() + what.tasks.size() > steps_max)
    return reply_error{"steps_max", "the plan would have more than "
                                      + std::to_string(steps_max) + " steps"};
  return why_not_permitted(spec_, who, what);
}

void machine::record_reply(participant_index who, const reply& what,
                           bool refused) {
  members_.note_vote(who, what.end && !refused);
  log_.count_usage(who, what.usage);
  if (!refused && what.status == reply_status::completed && !ending_.empty())
    ending_.record_reply(members_[who], what.content);
  if (!what.content.empty())
    talk_.add({.participant = who, .at = log_.now(), .content = what.content});
}

consequence machine::take_turn_answer(participant_index who, reply&& what) {
  auto receiver = no_participant;
  auto problem = why_not(who, what, true);
  if (!problem && what.handoff)
    problem = why_no_handoff(who, what, receiver);
  const auto status = problem                      ? turn_status::failed
                      : receiver != no_participant ? turn_status::handed_off
                                                   : status_of(what);
  const auto& error = problem ? *problem : what.error;
  record_reply(who, what, problem.has_value());
  if (!what.claim.empty() || !what.writes.empty())
    arbiter_.take_claims_and_writes(who, what, is_done(status));
  const auto& held = close_turn(who, status, &what, error.code, error.message);
  if (is_done(status) && !what.tasks.empty())
    plan_.add_tasks(std::move(what.tasks));
  if (status == turn_status::handed_off)
    hand_off(who, receiver, held, *what.handoff);
  return ask(occasion::turn_closed, {.participant = who,
                                     .status = status,
                                     .step = held.step,
                                     .end = !problem && what.end});
}

consequence machine::take_broadcast_answer(participant_index who,
                                           reply&& what) {
  auto problem = why_not(who, what, false);
  const auto& error = problem ? *problem : what.error;
  record_reply(who, what, problem.has_value());
  const auto status = problem ? std::string_view{"failed"}
                              : to_word(what.status);
  arbiter_.take_writes(who, what, status == "completed");
  close_answer(who, status, &what, error.code, error.message);
  if (status == "completed")
    plan_.add_tasks(std::move(what.tasks));
  return close_broadcast_if_done();
}

consequence machine::take_decision(participant_index who, reply&& what) {
  const auto token = forget(who, "answered").token;
  auto problem = why_not(who, what, false);
  const auto turns = held_turns();
  auto decided = judge(what, problem,
                       {.spec = &spec_,
                        .who = &members_.who(),
                        .plan = &plan_.book(),
                        .participants = members_.all(),
                        .open = turns,
                        .last_turn = turn_.turn_index,
                        .broadcasts = counts().broadcasts,
                        .has_news = briefing_.has_news()});
  std::string refused;
  if (!decided) {
    const auto& why = decided.error();
    refused = why.rule.empty() ? why.message : why.rule + ": " + why.message;
    normalise_reason(refused);
  }
  log_.append(protocol::decision_input{.execution_id = log_.next_id(),
                                       .who = members_.name_of(who),
                                       .request_id = token,
                                       .reply = &what,
                                       .refused = refused});
  log_.log_reasons(members_.name_of(who), 0, token, what);
  arbiter_.disputes().reject_writes(who, token, what,
                                    turn_.current_turn_holder);
  record_reply(who, what, problem.has_value());
  if (!decided)
    return decision_failed(std::move(refused));
  briefing_.note_decided();
  if (spec_.options.no_progress > 0 || !ending_.empty())
    progress_.note_decided(decided_words(what));
  plan_.add_tasks(std::move(what.tasks));
  // What it would wait for has come meanwhile: then it is asked again.
  const bool waits = !decided->empty() || !requests_.empty()
                     || !handoffs_.empty();
  decided_ = *std::move(decided);
  return ask(waits ? occasion::decided : occasion::steps_changed);
}

consequence machine::decision_failed(std::string why) {
  if (!briefing_.note_failed(why))
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): it is owned
    return cancel_by("orchestrator_failed", std::move(why),
                     briefing::failures_max);
  return ask(occasion::steps_changed);
}

} // namespace convene::session
