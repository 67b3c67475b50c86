#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/json_bytes.hpp>
#include <convene/protocol/json/same_value.hpp>
#include <convene/session/conversation/checks.hpp>
#include <convene/session/conversation/conversation.hpp>
#include <convene/session/conversation/fold_errors.hpp>

#include <string_view>

namespace convene::session {
namespace {

using namespace protocol;
using status = conversation_status;

/// How a last turn says that the conversation ended. Only the host's are of the
/// system.
status status_of(const conversation_turn& last) {
  const auto* const content = last.content.held.if_object();
  const auto* const reason
    = content == nullptr ? nullptr : content->if_contains("reason");
  if (last.role != turn_role::system || reason == nullptr
      || !reason->is_string())
    return status::closed;
  const auto found = from_word<status>(reason->get_string());
  return found && *found > status::open ? *found : status::closed;
}

} // namespace

result<void> conversation::check_follows(const run_event& event,
                                         std::string_view conversation_id,
                                         std::int64_t turn_index,
                                         const conversation_turn& turn) const {
  if (state_.status != status::open
      || conversation_id != state_.conversation_id)
    return misplaced_event(event, "no conversation of this id is open");
  if (auto fits = check_origin(event, state_.node_id,
                               state_.turns.back().event_id);
      !fits)
    return fits;
  if (turn_index != turn.turn_index
      || turn_index != static_cast<std::int64_t>(state_.turns.size()))
    return wrong_part("turn_index",
                      "the index of a turn is the one after the last",
                      "/payload/turnIndex", std::to_string(turn_index));
  if (find(turn.message_id) != nullptr)
    return wrong_part("message_id_reused", "two turns have one message id",
                      "/payload", turn.message_id);
  if (takes_reserved_id(turn, state_.conversation_id))
    return wrong_part("message_id_reserved", "the id is that of another turn",
                      "/payload", turn.message_id);
  return {};
}

result<void> conversation::fold_exchanged(const run_event& event,
                                          timestamp_ms at) {
  auto read = decode<conversation_exchanged>(event.payload.held, "/payload");
  if (!read)
    return fail(std::move(read).error());
  return add_exchange(event, at, *std::move(read),
                      json_bytes(event.payload.held.at("turn")));
}

result<void> conversation::add_exchange(const run_event& event, timestamp_ms at,
                                        conversation_exchanged&& what,
                                        std::size_t bytes) {
  if (auto follows = check_follows(event, what.conversation_id, what.turn_index,
                                   what.turn);
      !follows)
    return follows;
  if (what.turn.role == turn_role::system)
    return wrong_part("turn_role", "an exchange is not a turn of the system",
                      "/payload/turn/role");
  if (is_due(at))
    return wrong_event("the conversation's time was over", "/timestamp");
  add_turn(std::move(what.turn), conversation_operation::exchange, event,
           bytes);
  return {};
}

result<void> conversation::fold_closed(const run_event& event,
                                       timestamp_ms at) {
  auto read = decode<conversation_closed>(event.payload.held, "/payload");
  if (!read)
    return fail(std::move(read).error());
  if (auto follows = check_follows(event, read->conversation_id,
                                   read->turn_index, read->final_turn);
      !follows)
    return follows;
  const auto as = status_of(read->final_turn);
  if ((as == status::timed_out) != is_due(at))
    return wrong_event("a conversation times out when its time is over, and "
                       "not before",
                       "/timestamp");
  auto& outcome = read->outcome;
  if (as != status::closed && (!outcome || !outcome->held.is_null()))
    return wrong_event("what timed out or was cancelled has the outcome null",
                       "/payload/outcome");
  if (outcome)
    state_.bytes += json_bytes(outcome->held);
  state_.status = as;
  state_.outcome = std::move(outcome);
  schema_.reset();
  add_turn(std::move(read->final_turn), conversation_operation::close, event,
           json_bytes(event.payload.held.at("finalTurn")));
  return {};
}

result<void>
conversation::check_resume_value(const std::optional<any_value>& value) const {
  const json::value outcome = state_.outcome ? state_.outcome->held : nullptr;
  if (!value || !same_value(value->held, outcome))
    return wrong_event("a node is resumed with the outcome",
                       "/payload/resumeValue");
  return {};
}

result<void> conversation::fold_resolved(const run_event& event, timestamp_ms) {
  const auto read = decode<interrupt_resolved>(event.payload.held, "/payload");
  if (!read)
    return fail(read.error());
  if (state_.status != status::closed || state_.is_resolved
      || read->interrupt_id != state_.interrupt_id)
    return misplaced_event(event, "no answer closed this conversation just "
                                  "now");
  if (auto fits = check_origin(event, read->node_id,
                               state_.turns.back().event_id);
      !fits)
    return fits;
  if (read->run_id.value_or(state_.run_id) != state_.run_id)
    return wrong_event("the interrupt is of another run", "/payload/runId");
  if (read->kind && !is_conversation(*read->kind))
    return wrong_event("the interrupt is a conversation's", "/payload/kind");
  if (auto fits = check_resume_value(read->resume_value); !fits)
    return fits;
  state_.is_resolved = true;
  return {};
}

result<void> conversation::fold_resumed(const run_event& event, timestamp_ms) {
  const auto read = decode<node_resumed>(event.payload.held, "/payload");
  if (!read)
    return fail(read.error());
  if (!state_.is_resolved || state_.is_resumed
      || read->interrupt_id != state_.interrupt_id)
    return misplaced_event(event,
                           "its interrupt is not resolved, or it is resumed");
  if (auto fits = check_origin(event, read->node_id,
                               state_.turns.back().event_id);
      !fits)
    return fits;
  if (auto fits = check_resume_value(read->resume_value); !fits)
    return fits;
  state_.is_resumed = true;
  return {};
}

void conversation::add_turn(conversation_turn&& turn,
                            conversation_operation operation,
                            const run_event& event, std::size_t bytes) {
  state_.bytes += bytes;
  by_message_.emplace(turn.message_id, state_.turns.size());
  state_.turns.push_back(
    {std::move(turn), operation, event.event_id, event.sequence});
}

} // namespace convene::session
