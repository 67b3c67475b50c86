#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/same_value.hpp>
#include <convene/session/conversation/recorder.hpp>

#include <algorithm>

namespace convene::session {
namespace {

using namespace protocol;
using status = conversation_status;
using enum interrupt_error;

bool same_outcome(const std::optional<any_value>& a,
                  const std::optional<any_value>& b) {
  return a.has_value() == b.has_value() && (!a || same_value(a->held, b->held));
}

} // namespace

conversation_effects conversation::feed(const conversation_input& input,
                                        timestamp_ms at,
                                        std::int64_t next_sequence) {
  conversation_effects made;
  if (next_sequence <= state_.last_sequence) {
    made.refusal = refuse_input(validation_error, "sequence",
                                "the next event of the run comes after "
                                  + std::to_string(state_.last_sequence),
                                {}, errc::usage);
    return made;
  }
  at = std::clamp(at, state_.last_time, timestamp_max);
  recorder to{*this, made, at, next_sequence};
  // Whatever arrives, what is due by then happens first.
  if (const auto due = next_deadline(); due && at >= *due)
    close_by_host(to, status::timed_out);
  std::visit([&](const auto& known) { take(to, known); }, input);
  return made;
}

std::optional<timestamp_ms> conversation::next_deadline() const noexcept {
  return state_.status == status::open ? state_.deadline : std::nullopt;
}

void conversation::take(recorder& to, const exchange_resume& input) {
  if (state_.status == status::none)
    return to.refuse(interrupt_not_found, "conversation_missing",
                     "no conversation is open here");
  const auto* const known = find(input.turn.message_id);
  if (known != nullptr && known->operation == conversation_operation::exchange
      && same_turn(known->turn, input.turn))
    return to.answer(answer_of(*known), true);
  if (state_.status == status::cancelled)
    return to.refuse(interrupt_cancelled, "conversation_closed",
                     "the conversation was cancelled");
  if (state_.status != status::open)
    return to.refuse(validation_error, "conversation_closed",
                     "the conversation is closed: it takes no further turn");
  if (known != nullptr)
    return to.refuse(validation_error, "message_id_reused",
                     "another turn has this message id", "/turn/messageId");
  if (auto wrong = check_turn(input.turn))
    return to.refuse(*std::move(wrong));
  if (auto wrong = check_count())
    return to.refuse(*std::move(wrong));
  to.record(run_event_type::conversation_exchanged, state_.node_id,
            encode(conversation_exchanged{state_.conversation_id,
                                          input.turn.turn_index, input.turn}),
            state_.turns.back().event_id);
  to.answer(answer_of(state_.turns.back()));
}

void conversation::take(recorder& to, const close_resume& input) {
  if (state_.status == status::none)
    return to.refuse(interrupt_not_found, "conversation_missing",
                     "no conversation is open here");
  if (state_.status == status::cancelled)
    return to.refuse(interrupt_cancelled, "conversation_closed",
                     "the conversation was cancelled");
  if (state_.status != status::open) {
    const auto& last = state_.turns.back();
    if (input.turn && same_turn(last.turn, *input.turn)
        && same_outcome(state_.outcome, input.outcome))
      return to.answer(answer_of(last), true);
    return to.refuse(interrupt_already_resolved, "conversation_closed",
                     "the conversation is closed already");
  }
  if (auto wrong = check_outcome(input.outcome))
    return to.refuse(*std::move(wrong));
  if (!input.turn) {
    close(to, host_turn(to, status::closed, {}), input.outcome);
  } else {
    if (find(input.turn->message_id) != nullptr)
      return to.refuse(validation_error, "message_id_reused",
                       "another turn has this message id", "/turn/messageId");
    if (auto wrong = check_turn(*input.turn))
      return to.refuse(*std::move(wrong));
    close(to, *input.turn, input.outcome);
  }
  const json::value outcome = input.outcome ? input.outcome->held : nullptr;
  const auto closed_by = state_.turns.back().event_id;
  to.record(run_event_type::interrupt_resolved, state_.node_id,
            encode(interrupt_resolved{.node_id = state_.node_id,
                                      .interrupt_id = state_.interrupt_id,
                                      .resume_value = any_value{outcome}}),
            closed_by);
  to.record(run_event_type::node_resumed, state_.node_id,
            encode(node_resumed{.node_id = state_.node_id,
                                .interrupt_id = state_.interrupt_id,
                                .resume_value = any_value{outcome}}),
            closed_by);
  to.answer(answer_of(state_.turns.back()));
}

void conversation::take(recorder& to, const cancel_conversation& input) {
  if (state_.status == status::none)
    return to.refuse(interrupt_not_found, "conversation_missing",
                     "no conversation is open here");
  if (state_.status == status::cancelled)
    return to.answer(answer_of(state_.turns.back()), true);
  if (state_.status != status::open)
    return to.refuse(interrupt_already_resolved, "conversation_closed",
                     "the conversation is closed already");
  close_by_host(to, status::cancelled, input.reason);
  to.answer(answer_of(state_.turns.back()));
}

void conversation::take(recorder&, const check_deadline&) {
  // feed has done it.
}

void conversation::close(recorder& to, conversation_turn last,
                         std::optional<any_value> outcome) {
  const auto index = last.turn_index;
  to.record(run_event_type::conversation_closed, state_.node_id,
            encode(conversation_closed{state_.conversation_id, index,
                                       std::move(last), std::move(outcome)}),
            state_.turns.back().event_id);
}

void conversation::close_by_host(recorder& to, status as,
                                 std::string_view message) {
  close(to, host_turn(to, as, message), any_value{nullptr});
}

conversation_answer conversation::answer_of(const recorded_turn& what) const {
  return {what.operation, state_.conversation_id, what.turn.turn_index,
          what.turn.message_id};
}

const recorded_turn* conversation::find(std::string_view message_id) const {
  const auto found
    = std::ranges::find_if(state_.turns, [&](const recorded_turn& each) {
        return each.turn.message_id == message_id;
      });
  return found == state_.turns.end() ? nullptr : &*found;
}

} // namespace convene::session
