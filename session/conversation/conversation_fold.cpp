#include <boost/json/serialize.hpp>
#include <convene/protocol/conversation/ids.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/json_bytes.hpp>
#include <convene/session/conversation/checks.hpp>
#include <convene/session/conversation/conversation.hpp>
#include <convene/session/conversation/fold_errors.hpp>

#include <algorithm>
#include <array>

namespace convene::session {
namespace {

using namespace protocol;
using status = conversation_status;

} // namespace

result<void> conversation::fold(const run_event& event) {
  using reader = result<void> (conversation::*)(const run_event&, timestamp_ms);
  static constexpr std::array<reader, 7> readers{
    &conversation::fold_suspended, &conversation::fold_requested,
    &conversation::fold_opened,    &conversation::fold_exchanged,
    &conversation::fold_closed,    &conversation::fold_resolved,
    &conversation::fold_resumed};
  const auto type = from_word<run_event_type>(event.type);
  if (!type)
    return misplaced_event(event, "it is not an event of a conversation");
  const auto at = time_of(event, *type);
  if (!at)
    return fail(at.error());
  return passed(event, *at,
                (this->*readers[static_cast<std::size_t>(*type)])(event, *at));
}

result<void> conversation::fold(const run_event& event,
                                conversation_exchanged&& what,
                                std::size_t bytes) {
  const auto at = time_of(event, run_event_type::conversation_exchanged);
  if (!at)
    return fail(at.error());
  return passed(event, *at, add_exchange(event, *at, std::move(what), bytes));
}

/// When the event happened, if it can be one of this conversation.
result<timestamp_ms> conversation::time_of(const run_event& event,
                                           run_event_type type) const {
  if (event.run_id != state_.run_id)
    return wrong_event("the event is of another run", "/runId");
  if (event.sequence <= state_.last_sequence)
    return wrong_event("the event's number is not after the one before",
                       "/sequence");
  if (type <= run_event_type::conversation_exchanged
      && event.sequence > turn_sequence_max + 2)
    return wrong_event("the event's number leaves none to close the "
                       "conversation with",
                       "/sequence");
  const auto written = parse_timestamp(event.timestamp);
  if (!written || *written < 0 || *written > timestamp_max)
    return wrong_event(
      "the event's time is not a date-time with a zone, of the "
      "years 1970 to 9999",
      "/timestamp");
  return std::max(state_.last_time, *written);
}

/// Notes that the event has made its change, if it has.
result<void> conversation::passed(const run_event& event, timestamp_ms at,
                                  result<void> done) {
  if (done) {
    state_.last_sequence = event.sequence;
    state_.last_time = at;
  }
  return done;
}

/// What all events after the first have in common: their node, and a cause.
result<void> conversation::check_origin(const run_event& event,
                                        std::string_view node_id,
                                        std::string_view cause) const {
  if (node_id != state_.node_id)
    return wrong_event("the event is of another node", "/payload/nodeId");
  if (event.node_id.value_or(state_.node_id) != state_.node_id)
    return wrong_event("the event is of another node", "/nodeId");
  if (event.causation_id != cause)
    return wrong_event("the cause of the event is another one: what is "
                       "requested and opened has the node's suspension, what "
                       "follows the turn before",
                       "/causationId");
  return {};
}

bool conversation::is_due(timestamp_ms at) const noexcept {
  return state_.deadline && at >= *state_.deadline;
}

result<void> conversation::fold_suspended(const run_event& event,
                                          timestamp_ms) {
  auto read = decode<node_suspended>(event.payload.held, "/payload");
  if (!read)
    return fail(std::move(read).error());
  if (!state_.suspended_by.empty())
    return misplaced_event(event, "the node is suspended already");
  if (event.node_id.value_or(read->node_id) != read->node_id)
    return wrong_event("the event is of another node", "/nodeId");
  state_.node_id = std::move(read->node_id);
  state_.key = read->key.value_or(read->interrupt_id);
  state_.interrupt_id = std::move(read->interrupt_id);
  state_.suspended_by = event.event_id;
  return {};
}

result<void> conversation::fold_requested(const run_event& event,
                                          timestamp_ms) {
  const auto read = decode<interrupt_requested>(event.payload.held, "/payload");
  if (!read)
    return fail(read.error());
  if (state_.suspended_by.empty() || state_.is_requested
      || read->interrupt_id != state_.interrupt_id
      || !is_conversation(read->kind))
    return misplaced_event(event, "no node waits for this request");
  if (read->run_id != state_.run_id)
    return wrong_event("the request is of another run", "/payload/runId");
  if (read->key != state_.key)
    return wrong_event("the request has another key than the suspension",
                       "/payload/key");
  if (auto fits = check_origin(event, read->node_id, state_.suspended_by);
      !fits)
    return fits;
  const auto asked = read_conversation_request(
    {.kind = read->kind, .key = read->key, .data = read->data}, "/payload");
  if (!asked)
    return fail(asked.error());
  if (asked->operation != conversation_operation::start)
    return wrong_event("what a conversation begins with is a request to start "
                       "it",
                       "/payload/data");
  state_.conversation_id = asked->conversation_id.value_or("");
  state_.timeout_ms = read->timeout_ms.value_or(0);
  state_.is_requested = true;
  return {};
}

result<void> conversation::fold_opened(const run_event& event,
                                       timestamp_ms at) {
  auto read = decode<conversation_opened>(event.payload.held, "/payload");
  if (!read)
    return fail(std::move(read).error());
  if (!state_.is_requested || state_.status != status::none)
    return misplaced_event(event, "nothing asked for it, or it is open "
                                  "already");
  if (auto fits = check_origin(event, state_.node_id, state_.suspended_by);
      !fits)
    return fits;
  const auto& id = read->conversation_id;
  if (!state_.conversation_id.empty() && id != state_.conversation_id)
    return wrong_event("another conversation was asked for",
                       "/payload/conversationId");
  if (id.size() > conversation_id_max)
    return wrong_part("conversation_id",
                      "the id of a conversation has at most "
                        + std::to_string(conversation_id_max) + " bytes",
                      "/payload/conversationId");
  if (read->initial_turn.turn_index != 0)
    return wrong_part("turn_index", "the opening turn has the index 0",
                      "/payload/initialTurn/turnIndex");
  if (takes_reserved_id(read->initial_turn, id))
    return wrong_part("message_id_reserved", "the id is that of another turn",
                      "/payload/initialTurn/messageId");
  std::optional<turn_schema> checks;
  if (read->schema) {
    auto made = turn_schema::make(*read->schema);
    if (!made)
      return fail(std::move(made).error());
    checks = *std::move(made);
    state_.bytes += json::serialize(*read->schema).size();
  }
  schema_ = std::move(checks);
  state_.conversation_id = std::move(read->conversation_id);
  state_.agent_id = std::move(read->agent_id);
  state_.schema = std::move(read->schema);
  state_.capabilities = std::move(read->capabilities);
  if (state_.timeout_ms > 0)
    state_.deadline = std::min(at + std::min(state_.timeout_ms, timestamp_max),
                               timestamp_max);
  state_.status = status::open;
  add_turn(std::move(read->initial_turn), conversation_operation::start, event,
           json_bytes(event.payload.held.at("initialTurn")));
  return {};
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
