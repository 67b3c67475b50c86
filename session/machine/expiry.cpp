// What time alone does: nothing here is an input of somebody's.

#include <convene/session/machine/append.hpp>

#include <algorithm>

namespace convene::session {

using protocol::collab_status;

std::optional<protocol::timestamp_ms> machine::next_deadline() const {
  if (!started_ || status() != collab_status::active)
    return std::nullopt;
  auto next = open_.empty() ? ends_by_ : std::min(ends_by_, earliest_);
  if (const auto over = ending_.next_time(observe()))
    next = std::min(next, *over);
  for (const auto& c : shared_.conflicts)
    next = std::min(next, c.expires_at);
  return std::min(next, shared_.claims.earliest().value_or(next));
}

void machine::expire() {
  if (!started_ || status() != collab_status::active)
    return;
  if (now_ >= ends_by_) {
    end(false, "max_duration", std::to_string(now_ - started_at_),
        spec_.options.max_duration_ms);
    return;
  }
  if (end_if_over() && ended())
    return;
  while (const auto expired = shared_.claims.expired(now_))
    end_claim(*expired, "expired");
  expire_conflicts();
  while (!ended() && !open_.empty() && now_ >= earliest_) {
    const auto expired
      = std::ranges::find_if(open_, [this](participant_index i) {
          return slots_[i].open->expires_at <= now_;
        });
    if (expired == open_.end()) {
      earliest_ = slots_[open_.front()].open->expires_at;
      for (auto i : open_)
        earliest_ = std::min(earliest_, slots_[i].open->expires_at);
      return;
    }
    time_out(*expired);
  }
}

void machine::time_out(participant_index who) {
  const auto open = *slots_[who].open;
  switch (open.kind) {
    case request_kind::turn:
      close_turn(who, turn_status::timed_out, nullptr, "timed_out",
                 "no reply before expires_at");
      ask(occasion::turn_closed, {.participant = who,
                                  .status = turn_status::timed_out,
                                  .step = open.step});
      return;
    case request_kind::broadcast:
      close_broadcast("timed_out", "no reply before expires_at");
      return;
    case request_kind::decision:
      forget(who);
      out_->notices.push_back({who, open.token, "closed", "timed_out"});
      log_simple_input("decision_timed_out", who, {});
      decision_failed("timed out");
      return;
    case request_kind::vote:
    case request_kind::escalation:
      return; // never open: see votes.cpp
  }
}

} // namespace convene::session
