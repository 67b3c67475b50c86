// What follows from an input, and from the time that it brings: here the policy
// is asked, and here the session ends.

#include <convene/protocol/documents/trace_ids.hpp>
#include <convene/session/machine/machine.hpp>

#include <algorithm>
#include <utility>

namespace convene::session {

using protocol::collab_status;

void machine::follow(consequence next) {
  using kind = consequence::kind;
  // Each question but the last closes a step, so this comes to an end.
  while (next.what == kind::ask && status_ == collab_status::active
         && !arbiter_.holds_end())
    next = consult_policy(next);
  if (next.what == kind::end
      || (next.what == kind::complete && arbiter_.is_settled()))
    end(std::move(*next.how));
  else if (next.what == kind::complete)
    // What clashes is settled first; nothing else is dispatched meanwhile.
    arbiter_.hold(std::move(*next.how));
}

consequence machine::after_conflicts() {
  if (auto held = arbiter_.take_held())
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): it moves
    return complete_by(*std::move(held));
  return requests_.empty() ? ask(occasion::steps_changed) : consequence{};
}

std::optional<protocol::timestamp_ms> machine::next_deadline() const {
  if (!started_ || status_ != collab_status::active)
    return std::nullopt;
  auto next = requests_.empty() ? ends_by_
              : people_since_.has_value()
                ? requests_.deadline()
                : std::min(ends_by_, requests_.deadline());
  if (!ending_.empty())
    if (const auto over = ending_.next_time(observe()))
      next = std::min(next, *over);
  return arbiter_.deadline(next);
}

void machine::expire() {
  if (!started_ || status_ != collab_status::active)
    return;
  const auto now = log_.now();
  if (now >= ends_at())
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): it moves
    return follow(cancel_by("max_duration", std::to_string(now - started_at_),
                            spec_.options.max_duration_ms));
  if (auto over = why_over_meanwhile();
      over.what != consequence::kind::nothing) {
    follow(std::move(over));
    if (ended())
      return;
  }
  arbiter_.claims().expire();
  if (!arbiter_.is_settled() && arbiter_.expire_conflicts())
    follow(after_conflicts());
  while (!ended()) {
    const auto who = requests_.expired(now);
    if (who == no_participant)
      return;
    follow(time_out(who));
  }
}

protocol::timestamp_ms machine::ends_at() const noexcept {
  return people_since_ ? ends_by_ + (log_.now() - *people_since_) : ends_by_;
}

/// After each input, where people take part.
void machine::note_waiting() {
  const auto is_person = [this](participant_index i) {
    return members_.is_person(i)
           || actions_.waits_for_person({i, requests_.find(i)->token});
  };
  const bool waits = status_ == collab_status::active && !requests_.empty()
                     && arbiter_.is_settled()
                     && std::ranges::all_of(requests_.open(), is_person);
  if (waits && !people_since_)
    people_since_ = log_.now();
  if (!waits && people_since_) {
    ends_by_ = ends_at();
    people_since_.reset();
  }
}

consequence machine::time_out(participant_index who) {
  switch (requests_.find(who)->kind) {
    case request_kind::turn: {
      const auto step = close_turn(who, turn_status::timed_out, nullptr,
                                   "timed_out", "no reply before expires_at")
                          .step;
      return ask(occasion::turn_closed, {.participant = who,
                                         .status = turn_status::timed_out,
                                         .step = step});
    }
    case request_kind::broadcast:
      close_answer(who, "timed_out", nullptr, "timed_out",
                   "no reply before expires_at");
      return close_broadcast_if_done();
    case request_kind::decision:
      log_.notify(who, forget(who, "timed_out").token, "closed", "timed_out");
      log_simple_input("decision_timed_out", who, {});
      return decision_failed("timed out");
    case request_kind::vote:
    case request_kind::escalation:
      break; // never open: see session/conflicts/open_conflicts.cpp
  }
  return {};
}

void machine::end(complete&& how) {
  close_all("session_ended", how.condition);
  static_cast<void>(arbiter_.take_held());
  plan_.finish();
  finish(std::move(how));
}

/// What was said and done enters the graph at once, so that a turn costs
/// nothing there.
void machine::record_session() {
  auto& known = graph_.recorded;
  graph_record::extent now{
    .opened = true,
    .traces = plan_.document() != nullptr,
    .messages = std::min(talk_.size(), protocol::graph_messages_max),
    .segments
    = std::min<std::size_t>(std::size_t{counts().turns} + counts().receipts,
                            protocol::trace_segments_max)};
  if (now == known)
    return;
  const auto parts = static_cast<std::int64_t>(
    now.messages + now.segments - known.messages - known.segments);
  protocol::graph_delta delta{.nodes = parts, .edges = parts};
  // Both belong to the Context, the Trace to the Plan as well.
  if (!known.opened)
    delta = {.nodes = parts + 2, .edges = parts + 2};
  if (now.traces != known.traces)
    ++delta.edges;
  log_.append(protocol::session_recorded{
    .graph_id = spec_.collab.context_id,
    .delta = delta,
    .dialog_id = dialog_uuid(log_.key(), 0),
    .trace_id = protocol::trace_ids{spec_.collab.collab_id}.trace(),
    .messages = now.messages,
    .segments = now.segments});
  known = now;
}

void machine::finish(complete&& how) {
  record_session();
  change_status(status_, how.success ? collab_status::completed
                                     : collab_status::cancelled);
  const auto& counts = log_.counts();
  log_.append(
    protocol::map_session_completed{.status = status_,
                                    .participants_count = members_.size(),
                                    .turns_total = counts.turns,
                                    .broadcasts_count = counts.broadcasts,
                                    .conflicts_count = counts.conflicts,
                                    .handoffs_count = counts.handoffs,
                                    .duration_ms = log_.now() - started_at_,
                                    .usage = counts.usage,
                                    .stop_reason = {.condition = how.condition,
                                                    .observed = how.observed,
                                                    .limit = how.limit}});
  outcome_ = session::outcome{.status = status_,
                              .condition = std::string{how.condition},
                              .observed = std::move(how.observed),
                              .limit = how.limit};
  log_.finish(*outcome_);
}

} // namespace convene::session
