// Issuing and closing requests: each dispatched turn is completed exactly once,
// each receiver of a broadcast is accounted for exactly once.

#include <convene/protocol/events/event_encoding.hpp>
#include <convene/session/machine/append.hpp>
#include <convene/session/routing/words.hpp>
#include <convene/session/spec/normalise.hpp>

#include <algorithm>
#include <utility>

namespace convene::session {
namespace {

/// Refusals that are put on the log between two requests to the same
/// participant; more are only counted.
constexpr std::uint32_t violations_max = 8;

} // namespace

void machine::issue(participant_index to, open_request what, request message) {
  auto& at = slots_[to];
  what.issued_at = now_;
  what.expires_at = now_ + spec_.options.turn_timeout_ms;
  earliest_ = open_.empty() ? what.expires_at
                            : std::min(earliest_, what.expires_at);
  message.kind = what.kind;
  message.token = what.token;
  message.sequence = at.requests++;
  message.kind_sequence = what.kind == request_kind::decision
                            ? at.decisions++
                            : message.sequence - at.decisions;
  message.expires_at = what.expires_at;
  message.workspace = shared_.resources.view();
  message.workspace_since = at.revision;
  what.revision = at.revision = message.workspace.revision();
  at.open = what;
  at.violations = 0;
  participants_[to].busy = true;
  open_.push_back(to);
  out_->deliveries.push_back({to, std::move(message)});
}

bool machine::awaits(participant_index who,
                     const protocol::uuid& token) const noexcept {
  if (ended() || who >= slots_.size())
    return false;
  const auto& open = slots_[who].open;
  if (open && open->token == token)
    return true;
  return std::ranges::any_of(shared_.conflicts, [&](const auto& about) {
    return std::ranges::find(about.asked, question{who, token})
           != about.asked.end();
  });
}

void machine::forget(participant_index who) {
  auto& at = slots_[who];
  if (gate_ != nullptr)
    closed_.emplace_back(who, *at.open);
  at.last_token = at.open->token;
  at.open.reset();
  participants_[who].busy = false;
  open_.erase(std::ranges::find(open_, who));
}

void machine::close_turn(participant_index who, turn_status status,
                         const protocol::reply* reply,
                         std::string_view error_code,
                         std::string_view error_message) {
  const auto open = *slots_[who].open;
  forget(who);
  append(protocol::map_turn_completed{
    .who = name_of(who),
    .turn_number = off(mutant::completion_matching) ? tally_.turns
                                                    : open.turn_number,
    .token_id = open.token,
    .status = to_word(status),
    .duration_ms = now_ - open.issued_at,
    .reply = reply,
    .error_code = error_code,
    .error_message = error_message});
  if (reply == nullptr)
    out_->notices.push_back(
      {who, open.token, "closed", std::string{error_code}});
  progress_.note({.who = who,
                  .status = status,
                  .content = reply != nullptr ? std::string_view{reply->content}
                                              : std::string_view{},
                  .lost = participants_[who].lost,
                  .changed = open.wrote
                             || (is_done(status) && !reply->tasks.empty())},
                 turn_takers(), now_);
  remember_holder();
  remember_closed(who, to_word(status),
                  reply != nullptr ? std::string_view{reply->content}
                                   : std::string_view{},
                  open.step);
  end_step_turn(open.step, who, status);
}

void machine::remember_closed(participant_index who, std::string_view status,
                              std::string_view content, step_index step) {
  // Nobody else is told of those before.
  if (!std::exchange(last_is_told_, false)
      && roster_.orchestrator != no_participant) {
    auto& earlier = last_.also_closed;
    if (earlier.size() == decision_view::also_closed_max)
      earlier.erase(earlier.begin());
    earlier.push_back({last_.last_participant, last_.last_status,
                       last_.last_step_id, std::move(last_.last_content)});
  }
  last_.last_participant = who;
  last_.last_status = status;
  last_.last_content.assign(content);
  last_.last_step_id.assign(step == no_step ? std::string_view{}
                                            : plan_.step(step).step_id);
}

void machine::end_step_turn(step_index step, participant_index who,
                            turn_status status) {
  if (step == no_step || status == turn_status::handed_off)
    return;
  if (status == turn_status::completed) {
    step_changes changes;
    plan_.close(step, protocol::step_status::completed, changes);
    log_steps(changes, "completed");
    return;
  }
  plan_.release(step, status != turn_status::cancelled);
  if (status == turn_status::declined)
    plan_.note_decline(step, who);
}

void machine::close_answer(participant_index who, std::string_view status,
                           const protocol::reply* reply,
                           std::string_view error_code,
                           std::string_view error_message) {
  const auto open = *slots_[who].open;
  forget(who);
  append(protocol::map_broadcast_received{.receiver = name_of(who),
                                          .broadcast_ref = open.token,
                                          .status = status,
                                          .duration_ms = now_ - open.issued_at,
                                          .reply = reply,
                                          .error_code = error_code,
                                          .error_message = error_message});
  if (reply == nullptr)
    out_->notices.push_back(
      {who, open.token, "closed", std::string{error_code}});
  ++broadcast_->answered;
  broadcast_->responses.push_back(
    {who, std::string{status},
     reply != nullptr ? reply->content : std::string{}});
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
                 turn_takers(), now_);
  end_step_turn(open.step, who, as);
}

void machine::close_broadcast(std::string_view error_code,
                              std::string_view message) {
  while (!open_.empty()) {
    const auto left = std::ranges::find_if(open_, [this](participant_index i) {
      return slots_[i].open->kind == request_kind::broadcast;
    });
    if (left == open_.end())
      break;
    close_answer(*left, "timed_out", nullptr, error_code, message);
  }
  responses_ = std::move(broadcast_->responses);
  broadcast_.reset();
  last_.responses = *responses_;
  progress_.note_broadcast_closed();
  ask(occasion::broadcast_closed);
}

void machine::finish_broadcast_if_done() {
  if (broadcast_->answered >= broadcast_->needed)
    close_broadcast("quorum_reached", "enough others had answered");
}

void machine::close_all(std::string_view error_code, std::string_view message) {
  while (!open_.empty()) {
    const auto who = open_.front();
    switch (slots_[who].open->kind) {
      case request_kind::turn:
        close_turn(who, turn_status::cancelled, nullptr, error_code, message);
        break;
      case request_kind::broadcast:
        close_answer(who, "failed", nullptr, error_code, message);
        break;
      case request_kind::decision:
      case request_kind::vote:
      case request_kind::escalation:
        forget(who);
        out_->notices.push_back(
          {who, slots_[who].last_token, "closed", std::string{error_code}});
        break;
    }
  }
  broadcast_.reset();
  drop_handoffs();
  close_conflicts("nobody was left to decide, so the first write stands");
}

bool machine::too_many_violations(participant_index who) {
  auto& at = slots_[who];
  if (at.violations < violations_max) {
    ++at.violations;
    return false;
  }
  ++tally_.refused;
  if (at.open && at.open->kind == request_kind::turn) {
    const auto step = at.open->step;
    close_turn(who, turn_status::failed, nullptr, "too_many_violations",
               "answered too often with a token that is not live");
    ask(occasion::turn_closed,
        {.participant = who, .status = turn_status::failed, .step = step});
  }
  return true;
}

void machine::refuse(answer&& late) {
  const auto who = late.from;
  auto& at = slots_[who];
  const bool stale = late.token == at.last_token;
  const auto* const kind = stale ? "stale_token" : "exclusive_write_violation";
  out_->notices.push_back({who, late.token, "refused", kind});
  if (too_many_violations(who))
    return;
  ++tally_.conflicts;
  normalise(late.reply);
  const auto id = next_id();
  const auto presented = to_string(late.token);
  protocol::byte_buffer details;
  {
    protocol::json_writer out{details};
    out.raw(R"({"input":"answer","participant_id":)");
    out.string(participants_[who].id);
    out.raw(R"(,"presented_token":)").string(presented);
    write_reply(out.raw(R"(,"reply":)"), late.reply);
    out.raw("}");
  }
  std::vector<protocol::actor_name> sides{name_of(who)};
  const auto holder = turn_.current_turn_holder;
  if (holder != no_participant && holder != who)
    sides.push_back(name_of(holder));
  append(protocol::map_conflict_detected{.conflict_id = id,
                                         .resource_type = "token",
                                         .resource_id = presented,
                                         .conflicting = sides,
                                         .conflict_type = kind,
                                         .details = details.view()});
  append(protocol::map_conflict_resolved{
    .conflict_id = id,
    .resolution_strategy = "reject",
    .winner = sides.size() > 1 ? sides.back() : protocol::actor_name{},
    .reason = stale ? "the request had closed before the answer came"
                    : "the answer names no live request of its sender"});
}

} // namespace convene::session
