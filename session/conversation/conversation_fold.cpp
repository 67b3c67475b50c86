#include <convene/protocol/documents/document_codec.hpp>
#include <convene/session/conversation/conversation.hpp>

#include <algorithm>
#include <array>

namespace convene::session {
namespace {

using namespace protocol;
using status = conversation_status;

tl::unexpected<error> misplaced(const run_event& event, std::string why) {
  return fail({.code = errc::invalid_document,
               .message = event.type + " of event "
                          + std::to_string(event.sequence)
                          + " cannot stand here: " + std::move(why),
               .rule = "conversation_order"});
}

tl::unexpected<error> wrong_event(std::string message, std::string pointer) {
  return fail({.code = errc::invalid_document,
               .message = std::move(message),
               .pointer = std::move(pointer),
               .rule = "conversation_event"});
}

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

result<void> conversation::fold(const run_event& event) {
  using reader = result<void> (conversation::*)(const run_event&);
  static constexpr std::array<reader, 7> readers{
    &conversation::fold_suspended, &conversation::fold_requested,
    &conversation::fold_opened,    &conversation::fold_exchanged,
    &conversation::fold_closed,    &conversation::fold_resolved,
    &conversation::fold_resumed};
  const auto type = from_word<run_event_type>(event.type);
  if (!type)
    return misplaced(event, "it is no event of a conversation");
  if (event.run_id != state_.run_id)
    return wrong_event("the event is of another run", "/runId");
  if (event.sequence <= state_.last_sequence)
    return wrong_event("the event's number is not after the one before",
                       "/sequence");
  const auto at = parse_timestamp(event.timestamp);
  if (!at)
    return wrong_event("the event's time is no date-time with a zone",
                       "/timestamp");
  auto done = (this->*readers[static_cast<std::size_t>(*type)])(event);
  if (done) {
    state_.last_sequence = event.sequence;
    state_.last_time = std::max(state_.last_time, *at);
  }
  return done;
}

result<void> conversation::fold_suspended(const run_event& event) {
  auto read = decode<node_suspended>(event.payload.held, "/payload");
  if (!read)
    return fail(std::move(read).error());
  if (!state_.suspended_by.empty())
    return misplaced(event, "the node is suspended already");
  state_.node_id = std::move(read->node_id);
  state_.key = read->key.value_or(read->interrupt_id);
  state_.interrupt_id = std::move(read->interrupt_id);
  state_.suspended_by = event.event_id;
  return {};
}

result<void> conversation::fold_requested(const run_event& event) {
  const auto read = decode<interrupt_requested>(event.payload.held, "/payload");
  if (!read)
    return fail(read.error());
  if (state_.suspended_by.empty() || state_.is_requested
      || read->interrupt_id != state_.interrupt_id
      || !is_conversation(read->kind))
    return misplaced(event, "no node waits for this request");
  state_.timeout_ms = read->timeout_ms.value_or(0);
  state_.is_requested = true;
  return {};
}

result<void> conversation::fold_opened(const run_event& event) {
  auto read = decode<conversation_opened>(event.payload.held, "/payload");
  if (!read)
    return fail(std::move(read).error());
  if (!state_.is_requested || state_.status != status::none)
    return misplaced(event, "nothing asked for it, or it is open already");
  if (event.causation_id != state_.suspended_by)
    return wrong_event("the cause of an opening is the node's suspension",
                       "/causationId");
  if (read->initial_turn.turn_index != 0)
    return fail({.code = errc::invalid_document,
                 .message = "the opening turn has the index 0",
                 .pointer = "/payload/initialTurn/turnIndex",
                 .rule = "turn_index"});
  std::optional<turn_schema> checks;
  if (read->schema) {
    auto made = turn_schema::make(*read->schema);
    if (!made)
      return fail(std::move(made).error());
    checks = *std::move(made);
  }
  schema_ = std::move(checks);
  state_.conversation_id = std::move(read->conversation_id);
  state_.agent_id = std::move(read->agent_id);
  state_.schema = std::move(read->schema);
  state_.capabilities = std::move(read->capabilities);
  if (state_.timeout_ms > 0)
    state_.deadline = *parse_timestamp(event.timestamp)
                      + std::min(state_.timeout_ms, timestamp_max);
  state_.status = status::open;
  add_turn(std::move(read->initial_turn), conversation_operation::start, event);
  return {};
}

result<void> conversation::check_follows(const run_event& event,
                                         std::string_view conversation_id,
                                         std::int64_t turn_index,
                                         const conversation_turn& turn) const {
  if (state_.status != status::open
      || conversation_id != state_.conversation_id)
    return misplaced(event, "no conversation of this id is open");
  if (event.causation_id != state_.turns.back().event_id)
    return wrong_event("the cause of a turn is the turn before",
                       "/causationId");
  if (turn_index != turn.turn_index
      || turn_index != static_cast<std::int64_t>(state_.turns.size()))
    return fail({.code = errc::invalid_document,
                 .message = "the index of a turn is the one after the last",
                 .pointer = "/payload/turnIndex",
                 .rule = "turn_index",
                 .value = std::to_string(turn_index)});
  if (find(turn.message_id) != nullptr)
    return fail({.code = errc::invalid_document,
                 .message = "two turns have one message id",
                 .pointer = "/payload",
                 .rule = "message_id_reused",
                 .value = turn.message_id});
  return {};
}

result<void> conversation::fold_exchanged(const run_event& event) {
  auto read = decode<conversation_exchanged>(event.payload.held, "/payload");
  if (!read)
    return fail(std::move(read).error());
  if (auto follows = check_follows(event, read->conversation_id,
                                   read->turn_index, read->turn);
      !follows)
    return follows;
  add_turn(std::move(read->turn), conversation_operation::exchange, event);
  return {};
}

result<void> conversation::fold_closed(const run_event& event) {
  auto read = decode<conversation_closed>(event.payload.held, "/payload");
  if (!read)
    return fail(std::move(read).error());
  if (auto follows = check_follows(event, read->conversation_id,
                                   read->turn_index, read->final_turn);
      !follows)
    return follows;
  state_.status = status_of(read->final_turn);
  state_.outcome = std::move(read->outcome);
  add_turn(std::move(read->final_turn), conversation_operation::close, event);
  return {};
}

result<void> conversation::fold_resolved(const run_event& event) {
  const auto read = decode<interrupt_resolved>(event.payload.held, "/payload");
  if (!read)
    return fail(read.error());
  if (state_.status != status::closed || state_.is_resolved
      || read->interrupt_id != state_.interrupt_id)
    return misplaced(event, "no answer closed this conversation just now");
  state_.is_resolved = true;
  return {};
}

result<void> conversation::fold_resumed(const run_event& event) {
  const auto read = decode<node_resumed>(event.payload.held, "/payload");
  if (!read)
    return fail(read.error());
  if (!state_.is_resolved || state_.is_resumed
      || read->interrupt_id != state_.interrupt_id)
    return misplaced(event, "its interrupt is not resolved, or it is resumed");
  state_.is_resumed = true;
  return {};
}

void conversation::add_turn(conversation_turn turn,
                            conversation_operation operation,
                            const run_event& event) {
  state_.bytes += bytes_of(turn);
  state_.turns.push_back(
    {std::move(turn), operation, event.event_id, event.sequence});
}

bool conversation::is_whole() const noexcept {
  switch (state_.status) {
    case status::none:
      return state_.suspended_by.empty();
    case status::closed:
      return state_.is_resumed;
    default:
      return true;
  }
}

} // namespace convene::session
