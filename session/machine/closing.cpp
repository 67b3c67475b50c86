// Issuing and closing requests: each dispatched turn is completed exactly once,
// each receiver of a broadcast is accounted for exactly once.

#include <convene/session/machine/machine.hpp>
#include <convene/session/machine/turn_checks.hpp>
#include <convene/session/routing/words.hpp>

#include <algorithm>
#include <utility>

namespace convene::session {

/// `message` is on its way to `to` already, without what follows from `what`.
void machine::issue(participant_index to, open_request&& what,
                    request& message) {
  what.issued_at = log_.now();
  what.expires_at = log_.now() + members_.timeout_of(to);
  message.workspace = arbiter_.resources().view();
  if (actions_.has_left())
    message.actions = actions_.take_up({to, what.token}, what.turn_number,
                                       purpose_of(to, what));
  requests_.issue(to, std::move(what), message);
  members_.note_busy(to, true);
}

const open_request& machine::forget(participant_index who,
                                    std::string_view reason) {
  if (!actions_.empty())
    close_actions(who, reason);
  members_.note_busy(who, false);
  return requests_.close(who);
}

const open_request&
machine::close_turn(participant_index who, turn_status status,
                    const protocol::reply* reply, std::string_view error_code,
                    std::string_view error_message) {
  const auto& open = forget(who, reply != nullptr ? "answered" : error_code);
  auto ended = checks::completion_of(open, log_);
  ended.who = members_.name_of(who);
  ended.status = to_word(status);
  ended.reply = reply;
  ended.error_code = error_code;
  ended.error_message = error_message;
  log_.append(ended);
  if (reply == nullptr)
    log_.notify(who, open.token, "closed", std::string{error_code});
  else
    log_.log_reasons(members_.name_of(who), open.turn_number, open.token,
                     *reply);
  const auto content = reply != nullptr ? std::string_view{reply->content}
                                        : std::string_view{};
  progress_.note({.who = who,
                  .status = status,
                  .content = content,
                  .lost = members_[who].lost,
                  .changed = open.wrote
                             || (status == turn_status::completed
                                 && open.step != no_step)
                             || (is_done(status) && !reply->tasks.empty())},
                 members_.turn_takers(policy_->needs_orchestrator), log_.now());
  remember_holder();
  remember_closed(who, to_word(status), content, open.step);
  if (open.step == no_step)
    return open;
  if (error_code == "outcome_unknown" && !policy_->repeats_unknown)
    plan_.close(open.step, protocol::step_status::failed, error_code);
  else
    plan_.end_turn(open.step, who, status);
  return open;
}

void machine::remember_closed(participant_index who, std::string_view status,
                              std::string_view content, step_index step) {
  if (is_led())
    briefing_.note_closed(who, status, content, plan_.step_id(step));
}

void machine::close_answer(participant_index who, std::string_view status,
                           const protocol::reply* reply,
                           std::string_view error_code,
                           std::string_view error_message) {
  const auto& open = forget(who, reply != nullptr ? "answered" : error_code);
  ++log_.counts().receipts;
  log_.append(
    protocol::map_broadcast_received{.receiver = members_.name_of(who),
                                     .broadcast_ref = open.token,
                                     .status = status,
                                     .duration_ms = log_.now() - open.issued_at,
                                     .reply = reply,
                                     .error_code = error_code,
                                     .error_message = error_message});
  if (reply == nullptr)
    log_.notify(who, open.token, "closed", std::string{error_code});
  else
    log_.log_reasons(members_.name_of(who), 0, open.token, *reply);
  const bool answered = status == "completed" || status == "declined";
  round_.note({who, std::string{status},
               reply != nullptr ? reply->content : ""},
              reply != nullptr && answered);
  const auto as = status == "completed"  ? turn_status::completed
                  : status == "declined" ? turn_status::declined
                  : reply == nullptr
                      && (error_code == "suspended"
                          || error_code == "session_ended")
                    ? turn_status::cancelled
                    : turn_status::failed;
  progress_.note({.who = who,
                  .status = reply == nullptr && as == turn_status::failed
                              ? turn_status::timed_out
                              : as,
                  .is_turn = false},
                 members_.turn_takers(policy_->needs_orchestrator), log_.now());
  plan_.end_turn(open.step, who, as);
}

consequence machine::close_broadcast(std::string_view error_code,
                                     std::string_view message) {
  const auto is_part = [this](participant_index i) {
    return requests_.find(i)->kind == request_kind::broadcast;
  };
  for (;;) {
    const auto left = std::ranges::find_if(requests_.open(), is_part);
    if (left == requests_.open().end())
      break;
    close_answer(*left, "timed_out", nullptr, error_code, message);
  }
  round_.close();
  if (is_led())
    briefing_.note_responses(*round_.responses(), round_.missed());
  progress_.note_broadcast_closed();
  return ask(occasion::broadcast_closed);
}

consequence machine::close_broadcast_if_done() {
  if (!round_.is_done())
    return {};
  return close_broadcast("quorum_reached", "enough others had answered");
}

void machine::close_all(std::string_view error_code, std::string_view message) {
  while (!requests_.empty()) {
    const auto who = requests_.open().front();
    switch (requests_.find(who)->kind) {
      case request_kind::turn:
        close_turn(who, turn_status::cancelled, nullptr, error_code, message);
        break;
      case request_kind::broadcast:
        close_answer(who, "failed", nullptr, error_code, message);
        break;
      case request_kind::decision:
      case request_kind::vote:
      case request_kind::escalation:
        log_.notify(who, forget(who, error_code).token, "closed",
                    std::string{error_code});
        break;
    }
  }
  round_.drop();
  for (const auto& each : handoffs_.take_all())
    plan_.release(each.step);
  arbiter_.close_conflicts(
    "nobody was left to decide, so the first write stands");
}

} // namespace convene::session
