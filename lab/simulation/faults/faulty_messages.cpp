#include <convene/lab/simulation/faults/faulty_messages.hpp>

#include <algorithm>

namespace convene::host {

using session::participant_index;

faulty_messages::faulty_messages(seed_faults& faults, const session::spec& what,
                                 const faulty_log& log, given_answers& given)
  : faults_(faults), log_(log), given_(given) {
  for (const auto& who : what.collab.participants) {
    names_.push_back(who.participant_id);
    people_.push_back(who.kind == protocol::participant_kind::human);
  }
  hangs_.resize(people_.size());
}

void faulty_messages::begin_process(const actors::time_source& time) {
  time_ = &time;
  hangs_.assign(hangs_.size(), false);
  held_.clear();
}

/// A message of the direction that `kind` reorders arrives then: it overtakes
/// those that are held longer.
void faulty_messages::pass(fault_kind kind, protocol::timestamp_ms arrives_at) {
  std::erase_if(held_, [&](const held_message& one) {
    const bool overtaken = one.kind == kind && one.arrives_at > arrives_at;
    if (overtaken)
      faults_.count(kind);
    return overtaken || one.arrives_at < time_->now();
  });
}

std::int64_t faulty_messages::hold(fault_kind kind, std::uint32_t at) {
  const auto delay_ms = faults_.delay(kind, at, 1);
  held_.push_back({kind, time_->now() + delay_ms});
  return delay_ms;
}

actors::request_fate faulty_messages::of_request(participant_index,
                                                 const session::request&) {
  const auto at = faults_.next(fault_operation::request);
  const auto strikes = [&](fault_kind kind) {
    return faults_.strikes(kind, at);
  };
  if (strikes(fault_kind::request_lost)) {
    faults_.count(fault_kind::request_lost);
    return {.is_lost = true};
  }
  actors::request_fate fate;
  if (strikes(fault_kind::request_delayed)) {
    faults_.count(fault_kind::request_delayed);
    fate.delay_ms += faults_.delay(fault_kind::request_delayed, at, 1);
  }
  if (strikes(fault_kind::request_reordered))
    fate.delay_ms += hold(fault_kind::request_reordered, at);
  else
    pass(fault_kind::request_reordered, time_->now() + fate.delay_ms);
  return fate;
}

actors::answer_fate faulty_messages::of_answer(participant_index from,
                                               const session::request& what) {
  const auto fate = fate_of_answer(from, what);
  if (!fate.is_lost)
    given_.note(names_[from], what.token, log_.text().size());
  return fate;
}

actors::answer_fate
faulty_messages::fate_of_answer(participant_index from,
                                const session::request& what) {
  const auto at = faults_.next(fault_operation::answer);
  if (hangs_[from])
    return {.is_lost = true};
  const auto strikes = [&](fault_kind kind) {
    const bool it_does = faults_.strikes(kind, at);
    if (it_does && kind != fault_kind::answer_reordered)
      faults_.count(kind);
    return it_does;
  };
  if (strikes(fault_kind::crash))
    return {.is_lost = true, .dies = true};
  if (strikes(fault_kind::hang)) {
    hangs_[from] = true;
    return {.is_lost = true};
  }
  if ((people_[from] && strikes(fault_kind::no_answer))
      || strikes(fault_kind::answer_lost))
    return {.is_lost = true};
  if (strikes(fault_kind::after_end))
    return {.delay_ms = faults_.delay(fault_kind::after_end, at, 1),
            .dies = true};
  actors::answer_fate fate;
  if (strikes(fault_kind::late))
    fate.delay_ms += std::max<std::int64_t>(what.expires_at - time_->now(), 0)
                     + faults_.delay(fault_kind::late, at, 1);
  if (strikes(fault_kind::answer_delayed))
    fate.delay_ms += faults_.delay(fault_kind::answer_delayed, at, 1);
  if (strikes(fault_kind::twice))
    fate.again_after_ms = faults_.delay(fault_kind::twice, at, 1);
  if (strikes(fault_kind::answer_reordered))
    fate.delay_ms += hold(fault_kind::answer_reordered, at);
  else
    pass(fault_kind::answer_reordered, time_->now() + fate.delay_ms);
  return fate;
}

} // namespace convene::host
