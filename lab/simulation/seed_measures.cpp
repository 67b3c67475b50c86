#include <convene/lab/simulation/seed_measures.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>

namespace convene::host {

using namespace protocol;

void seed_meter::feed(const json::object& event) {
  const auto type = text_of(event, "event_type");
  const auto& payload = object_of(event, "payload");
  const auto at
    = protocol::parse_timestamp(text_of(event, "timestamp")).value_or(0);
  const auto who = text_of(payload, "participant_id");
  if (type == "MAPSessionStarted") {
    started_at_ = at;
  } else if (type == "MAPTurnDispatched") {
    take_turn(who, at);
    if (integer_of(payload, "attempt").value_or(1) > 1)
      ++so_far_.rework;
  } else if (type == "MAPTurnCompleted") {
    free_since_[std::string{who}] = at;
    const auto status = text_of(payload, "status");
    if (status == "failed" || status == "timed_out" || status == "declined")
      ++so_far_.failed_turns;
  } else if (type == "MAPConflictResolved") {
    const auto* versions = payload.if_contains("overridden_versions");
    if (versions != nullptr && versions->is_array())
      so_far_.rework += static_cast<std::int64_t>(versions->get_array().size());
  }
}

void seed_meter::take_turn(std::string_view who, protocol::timestamp_ms at) {
  const auto before = free_since_.find(who);
  const auto waited
    = at - (before == free_since_.end() ? started_at_ : before->second);
  ++turns_;
  waited_ms_ += waited;
  so_far_.token_wait_max_ms = std::max(so_far_.token_wait_max_ms, waited);
}

seed_measures seed_meter::finish(const session_result& ended) const {
  auto made = so_far_;
  made.duration_ms = ended.duration_ms;
  made.turns = ended.turns;
  made.broadcasts = ended.broadcasts;
  made.token_wait_ms = turns_ == 0 ? 0 : waited_ms_ / turns_;
  made.handoffs = ended.handoffs;
  made.conflicts = ended.conflicts;
  made.tokens = total_tokens(ended.usage);
  made.cost_microusd = ended.usage.cost_microusd;
  if (!ended.plan)
    return made;
  made.steps = static_cast<std::int64_t>(ended.plan->steps.size());
  using protocol::step_status;
  made.steps_open
    = std::ranges::count_if(ended.plan->steps, [](const auto& step) {
        return step.status != step_status::completed
               && step.status != step_status::skipped;
      });
  return made;
}

} // namespace convene::host
