// How a session ends. And an event that its gate refuses never gets on the log:
// the input that led to it is undone, and the session ends with a fault.

#include <convene/session/machine/append.hpp>
#include <convene/session/machine/faults.hpp>
#include <convene/session/spec/normalise.hpp>

#include <algorithm>
#include <utility>

namespace convene::session {

machine::checkpoint machine::now_at() {
  closed_.clear();
  return {.events = out_->events.size(),
          .deliveries = out_->deliveries.size(),
          .notices = out_->notices.size(),
          .event_count = event_count_,
          .id_count = id_count_,
          .counts = tally_,
          .status = status(),
          .resources = shared_.resources.view()};
}

void machine::judge_line(std::size_t from) {
  auto why = gate_->refusal(out_->events.view().substr(from));
  if (why.empty())
    return;
  if (!faulted_)
    throw refused_event{std::move(why)};
  out_->events.truncate(from);
}

void machine::undo(const checkpoint& to) {
  // Open again is what was open before: not what was issued since, but what
  // was closed since and not issued since as well.
  const auto issued = [&, this](const protocol::uuid& token) {
    return std::any_of(out_->deliveries.begin()
                         + static_cast<std::ptrdiff_t>(to.deliveries),
                       out_->deliveries.end(), [&](const delivery& d) {
                         return d.what.token == token;
                       });
  };
  for (auto& at : slots_)
    if (at.open && issued(at.open->token))
      at.open.reset();
  for (const auto& [who, request] : closed_)
    if (!issued(request.token))
      slots_[who].open = request;
  out_->events.truncate(to.events);
  out_->deliveries.resize(to.deliveries);
  out_->notices.resize(to.notices);
  out_->finished.reset();
  outcome_.reset();
  event_count_ = to.event_count;
  id_count_ = to.id_count;
  tally_ = to.counts;
  spec_.collab.status = to.status;
  shared_.resources.show_again(to.resources);
}

void machine::end_by_fault(std::string why) {
  constexpr std::string_view condition = "fault";
  normalise_reason(why);
  faulted_ = true;
  // Where not even the session's first event was good, there is no log.
  const auto from = out_->events.size();
  const bool has_log = event_count_ != 0;
  log_simple_input("fault", no_participant, why);
  for (participant_index who = 0; who < slots_.size(); ++who) {
    const auto open = std::exchange(slots_[who].open, std::nullopt);
    if (!open)
      continue;
    if (open->kind == request_kind::turn)
      append(protocol::map_turn_completed{.who = name_of(who),
                                          .turn_number = open->turn_number,
                                          .token_id = open->token,
                                          .status = "cancelled",
                                          .duration_ms = now_ - open->issued_at,
                                          .error_code = "session_ended",
                                          .error_message = condition});
    if (open->kind == request_kind::broadcast)
      append(
        protocol::map_broadcast_received{.receiver = name_of(who),
                                         .broadcast_ref = open->token,
                                         .status = "failed",
                                         .duration_ms = now_ - open->issued_at,
                                         .error_code = "session_ended",
                                         .error_message = condition});
    out_->notices.push_back({who, open->token, "closed", "session_ended"});
  }
  open_.clear();
  waiting_.clear();
  broadcast_.reset();
  finish(false, condition, std::move(why), -1);
  if (!has_log)
    out_->events.truncate(from);
}

void machine::on(fault&& f) {
  end_by_fault(std::move(f.reason));
}

void machine::finish(bool success, std::string_view condition,
                     std::string observed, std::int64_t limit) {
  change_status(spec_.collab.status, success
                                       ? protocol::collab_status::completed
                                       : protocol::collab_status::cancelled);
  append(protocol::map_session_completed{
    .status = status(),
    .participants_count = participants_.size(),
    .turns_total = tally_.turns,
    .broadcasts_count = tally_.broadcasts,
    .conflicts_count = tally_.conflicts,
    .handoffs_count = tally_.handoffs,
    .duration_ms = now_ - started_at_,
    .usage = tally_.usage,
    .stop_reason
    = {.condition = condition, .observed = observed, .limit = limit}});
  outcome_ = session::outcome{.status = status(),
                              .condition = std::string{condition},
                              .observed = std::move(observed),
                              .limit = limit};
  out_->finished = outcome_;
}

} // namespace convene::session
