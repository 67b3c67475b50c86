#include <convene/actors/behaviours/plan.hpp>

#include <algorithm>

namespace convene::actors {
namespace {

using protocol::close_step_decision;
using protocol::complete_decision;
using protocol::dispatch_decision;
using protocol::wait_decision;

using decisions = std::vector<protocol::decision>;

/// The orchestrator of a session without a plan. Its n-th decision is about the
/// n-th turn, so a participant whose turn was refused is passed over.
decisions take_turns(const turn_request& asked, std::int64_t rounds) {
  std::vector<const candidate*> acting;
  for (const auto& one : asked.decide.participants)
    if (one.kind != protocol::participant_kind::system)
      acting.push_back(&one);
  if (acting.empty()
      || asked.kind_sequence / acting.size() >= std::uint64_t(rounds))
    return {complete_decision{.reason = "everybody has had their turns"}};
  const auto* next = acting[asked.kind_sequence % acting.size()];
  return {dispatch_decision{.participant = next->participant}};
}

std::string why_closed(const open_step& step, const std::string& refused) {
  if (!refused.empty())
    return "step " + step.step_id + " cannot be dispatched: " + refused;
  return "step " + step.step_id + " did not succeed in "
         + std::to_string(step.attempts)
         + (step.attempts == 1 ? " turn" : " turns");
}

complete_decision all_closed(std::uint32_t failed, bool skip) {
  if (failed == 0)
    return {.reason = "every step is closed"};
  return {.success = skip, .reason = std::to_string(failed) + " steps failed"};
}

decisions follow_plan(const decision_request& now, const plan_options& how) {
  const bool skip = how.on_failure == on_failure::skip;
  decisions made;
  for (const auto& step : now.ready) {
    const bool usable = step.attempts <= how.retries;
    if (usable && now.refused.empty()) {
      made.push_back(dispatch_decision{.step_id = step.step_id});
      return made;
    }
    const auto reason = why_closed(step, usable ? now.refused : "");
    made.push_back(close_step_decision{
      .step_id = step.step_id, .skip = skip, .reason = reason});
    if (!skip) {
      made.push_back(complete_decision{.success = false, .reason = reason});
      return made;
    }
    if (usable) // a dispatch beside this could be refused too, and both with it
      return made;
  }
  if (made.size() == now.steps_open)
    made.push_back(all_closed(now.steps_failed, skip));
  else if (made.empty())
    made.push_back(
      complete_decision{.success = false,
                        .reason = std::to_string(now.steps_open)
                                  + " open steps can never become ready"});
  return made;
}

} // namespace

decisions decide_by_plan(const turn_request& asked, const plan_options& how) {
  if (asked.decide.outstanding > 0)
    return {wait_decision{}};
  if (asked.decide.steps_total == 0)
    return take_turns(asked, how.rounds);
  return follow_plan(asked.decide, how);
}

answer plan_behaviour::respond(const turn_request& asked) {
  answer given;
  if (asked.kind == session::request_kind::decision)
    given.reply.decision = decide_by_plan(asked, how_);
  else
    given.reply.content = "echo: " + asked.task;
  return given;
}

} // namespace convene::actors
