#include <convene/lab/simulation/faults/reached_states.hpp>
#include <convene/protocol/json/members.hpp>

namespace convene::host {

using namespace protocol;

void state_watch::feed(const json::object& event) {
  const auto type = text_of(event, "event_type");
  const auto& payload = object_of(event, "payload");
  const auto turn = integer_of(payload, "turn_number").value_or(0);
  if (type == "MAPTurnDispatched") {
    open_turns_.insert(turn);
    if (payload.contains("handoff_id"))
      handed_.insert(turn);
  } else if (type == "MAPTurnCompleted") {
    open_turns_.erase(turn);
    const bool was_handed = handed_.erase(turn) != 0;
    if (text_of(payload, "status") == "timed_out") {
      note(reached_state::turn_timed_out);
      if (was_handed)
        note(reached_state::timeout_after_handoff);
    }
  } else if (type == "MAPConflictDetected") {
    if (text_of(object_of(payload, "details"), "input") == "answer")
      return note(reached_state::late_answer_refused);
    if (!disputes_.empty())
      note(reached_state::conflict_while_vote_open);
    disputes_.emplace(text_of(payload, "conflict_id"));
  } else if (type == "MAPConflictResolved") {
    if (const auto found = disputes_.find(text_of(payload, "conflict_id"));
        found != disputes_.end())
      disputes_.erase(found);
  } else if (type == "MAPBroadcastSent") {
    if (object_of(payload, "message").contains("missed_quorum"))
      note(reached_state::quorum_missed);
  } else if (type == "session_input") {
    feed_input(text_of(payload, "input"), payload);
  }
}

void state_watch::feed_input(std::string_view input,
                             const json::object& payload) {
  if (input == "decision") {
    const auto who = text_of(payload, "participant_id");
    if (!decider_.empty() && decider_ != who)
      note(reached_state::deputy_took_over);
    decider_ = who;
  } else if (input == "vote_timed_out") {
    note(reached_state::vote_timed_out);
  } else if (input == "handoff_failed") {
    note(reached_state::handoff_failed);
  } else if (input == "participant_down") {
    note(reached_state::participant_lost);
  } else if (input == "participant_up") {
    note(reached_state::participant_back);
  } else if (input == "suspend" && !open_turns_.empty()) {
    note(reached_state::suspended_with_open_turn);
  }
}

} // namespace convene::host
