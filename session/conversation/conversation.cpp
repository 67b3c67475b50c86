#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/conversation/ids.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/json_bytes.hpp>
#include <convene/protocol/json/json_text.hpp>
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

bool has_others(const conversation_turn& turn) {
  return !turn.others.empty() || (turn.agent && !turn.agent->others.empty());
}

/// The last number that the events of an input may begin with.
std::int64_t last_number(const conversation_input& input) {
  const bool goes_on = std::holds_alternative<open_conversation>(input)
                       || std::holds_alternative<exchange_resume>(input);
  return goes_on ? turn_sequence_max : sequence_max;
}

} // namespace

conversation_effects conversation::feed(const conversation_input& input,
                                        timestamp_ms at,
                                        std::int64_t next_sequence,
                                        std::size_t room, bool is_recorded) {
  conversation_effects made;
  made.refusal = check_number(next_sequence, state_.last_sequence,
                              last_number(input));
  if (made.refusal)
    return made;
  at = std::clamp(at, state_.last_time, timestamp_max);
  recorder to{*this, made, at, next_sequence, room, is_recorded};
  // Whatever arrives, what is due by then happens first.
  if (state_.status == status::open && is_due(at))
    close_by_host(to, status::timed_out);
  if (!to.has_failed())
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
    return to.answer_again(*known);
  if (state_.status == status::cancelled)
    return to.refuse(interrupt_cancelled, "conversation_closed",
                     "the conversation was cancelled");
  if (state_.status != status::open)
    return to.refuse(validation_error, "conversation_closed",
                     "the conversation is closed: it takes no further turn");
  if (known != nullptr)
    return to.refuse(validation_error, "message_id_reused",
                     "another turn has this message id", "/turn/messageId");
  if (auto wrong = check_count())
    return to.refuse(*std::move(wrong));
  if (auto wrong = check_turn(input.turn, to.is_recorded()))
    return to.refuse(*std::move(wrong));
  conversation_exchanged made{state_.conversation_id, input.turn.turn_index,
                              input.turn};
  auto payload = encode(made);
  const auto bytes = json_bytes(payload.at("turn"));
  if (auto wrong = check_room(bytes, to.room()))
    return to.refuse(*std::move(wrong));
  if (has_others(made.turn)) // which may have the name of a member
    to.record(run_event_type::conversation_exchanged, state_.node_id,
              std::move(payload), state_.turns.back().event_id);
  else
    to.record(std::move(made), std::move(payload), bytes);
  to.answer();
}

void conversation::take(recorder& to, const close_conversation& input) {
  const auto& [turn, outcome] = input.answer;
  if (state_.status == status::none)
    return to.refuse(interrupt_not_found, "conversation_missing",
                     "no conversation is open here");
  if (state_.status == status::cancelled)
    return to.refuse(interrupt_cancelled, "conversation_closed",
                     "the conversation was cancelled");
  if (state_.status != status::open) {
    // What the host closed, no answer has.
    const auto& last = state_.turns.back();
    if (state_.status == status::closed && last.turn.role != turn_role::system
        && turn && same_turn(last.turn, *turn)
        && same_outcome(state_.outcome, outcome))
      return to.answer_again(last);
    return to.refuse(interrupt_already_resolved, "conversation_closed",
                     "the conversation is closed already");
  }
  if (turn && find(turn->message_id) != nullptr)
    return to.refuse(validation_error, "message_id_reused",
                     "another turn has this message id", "/turn/messageId");
  if (auto wrong = check_outcome(outcome))
    return to.refuse(*std::move(wrong));
  if (turn)
    if (auto wrong = check_turn(*turn, to.is_recorded()))
      return to.refuse(*std::move(wrong));
  // The host's own turn takes no room.
  const auto bytes = (turn ? bytes_of(*turn) : 0)
                     + (outcome ? json_bytes(outcome->held) : 0);
  if (auto wrong = check_room(bytes, to.room()); wrong && bytes > 0)
    return to.refuse(*std::move(wrong));
  const auto& by = input.resolved_by;
  if (by && (!valid_utf8(*by) || count_characters(*by) > conversation_text_max))
    return to.refuse(internal_error, "resolved_by",
                     "who closes a conversation has a name of at most 256 "
                     "characters of UTF-8");
  close(to, turn ? *turn : host_turn(to, status::closed, {}), outcome);
  resume_node(to, outcome ? outcome->held : nullptr, by);
  to.answer();
}

void conversation::resume_node(recorder& to, const json::value& outcome,
                               const std::optional<std::string>& resolved_by) {
  const auto closed_by = state_.turns.back().event_id;
  to.record(run_event_type::interrupt_resolved, state_.node_id,
            encode(
              interrupt_resolved{.run_id = state_.run_id,
                                 .node_id = state_.node_id,
                                 .interrupt_id = state_.interrupt_id,
                                 .kind = interrupt_kind::conversation_start,
                                 .resume_value = any_value{outcome},
                                 .resolved_at = format_timestamp(to.time()),
                                 .resolved_by = resolved_by}),
            closed_by);
  to.record(run_event_type::node_resumed, state_.node_id,
            encode(node_resumed{.node_id = state_.node_id,
                                .interrupt_id = state_.interrupt_id,
                                .resume_value = any_value{outcome}}),
            closed_by);
}

void conversation::take(recorder& to, const cancel_conversation& input) {
  if (state_.status == status::none)
    return to.refuse(interrupt_not_found, "conversation_missing",
                     "no conversation is open here");
  if (state_.status == status::cancelled)
    return to.answer_again(state_.turns.back());
  if (state_.status != status::open)
    return to.refuse(interrupt_already_resolved, "conversation_closed",
                     "the conversation is closed already");
  close_by_host(to, status::cancelled, input.reason);
  to.answer();
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
  const auto found = by_message_.find(message_id);
  return found == by_message_.end() ? nullptr : &state_.turns[found->second];
}

} // namespace convene::session
