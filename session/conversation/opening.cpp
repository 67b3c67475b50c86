#include <boost/json/serialize.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/session/conversation/limits.hpp>
#include <convene/session/conversation/recorder.hpp>

namespace convene::session {
namespace {

using namespace protocol;
using status = conversation_status;
using enum interrupt_error;

conversation_refusal bad_opening(std::string rule, std::string message,
                                 std::string pointer,
                                 errc kind = errc::invalid_document) {
  return refuse_input(validation_error, std::move(rule), std::move(message),
                      std::move(pointer), kind);
}

/// Turn 0, given or made of the prompt.
conversation_turn first_turn(const open_conversation& input,
                             const std::string& conversation_id,
                             timestamp_ms at) {
  if (input.initial_turn)
    return *input.initial_turn;
  const auto role = input.agent_id ? turn_role::agent : turn_role::system;
  conversation_turn made{.message_id = message_id(conversation_id, 0, role),
                         .from = input.agent_id.value_or("system"),
                         .content = input.prompt,
                         .ts = at,
                         .role = role};
  if (input.agent_id) {
    made.agent = turn_agent{.agent_id = input.agent_id};
    made.speaker_id = input.agent_id;
  }
  return made;
}

std::optional<conversation_refusal> check_first(const conversation_turn& turn,
                                                const std::string& of) {
  // What a decoder asks for; the turn may never have been JSON.
  if (const auto read = decode<conversation_turn>(encode(turn), "/initialTurn");
      !read)
    return conversation_refusal{validation_error, read.error()};
  if (turn.turn_index != 0)
    return bad_opening("turn_index", "the opening turn has the index 0",
                       "/initialTurn/turnIndex");
  if (turn.message_id.starts_with(of + ':')
      && turn.message_id != message_id(of, 0, turn.role))
    return bad_opening("message_id_reserved",
                       "an id that begins with the conversation's is written "
                         + message_id(of, 0, turn.role) + " for this turn",
                       "/initialTurn/messageId");
  if (bytes_of(turn) > turn_bytes_max)
    return bad_opening("turn_bytes_max",
                       "the bytes of a turn are at most "
                         + std::to_string(turn_bytes_max),
                       "/initialTurn", errc::limit_reached);
  return std::nullopt;
}

std::optional<conversation_refusal> check_terms(const open_conversation& input,
                                                const std::string& id) {
  if (id.empty() || id.size() > conversation_id_max)
    return bad_opening("conversation_id",
                       "the id of a conversation has 1 to "
                         + std::to_string(conversation_id_max) + " bytes",
                       "/conversationId");
  if (input.causation_id
      && (input.causation_id->empty()
          || count_characters(*input.causation_id) > run_text_max))
    return bad_opening("conversation_id",
                       "the id of the cause has 1 to 128 characters",
                       "/causationId");
  if (count_characters(input.agent_id.value_or("")) > conversation_text_max)
    return bad_opening("maxLength", "the agent's id has at most 256 characters",
                       "/agentId");
  if (input.capabilities.size() > words_of<conversation_capability>.size())
    return bad_opening("maxItems", "a capability is named once",
                       "/capabilities");
  if (input.timeout_ms < 0 || input.timeout_ms > conversation_timeout_max_ms)
    return bad_opening("conversation_timeout_max_ms",
                       "a conversation's time is 0, for no limit, to "
                         + std::to_string(conversation_timeout_max_ms) + " ms",
                       "/timeoutMs", errc::limit_reached);
  if (input.title && input.title->size() > turn_bytes_max)
    return bad_opening("turn_bytes_max",
                       "the bytes of a title are at most "
                         + std::to_string(turn_bytes_max),
                       "/title", errc::limit_reached);
  if (!input.schema)
    return std::nullopt;
  if (auto made = turn_schema::make(*input.schema); !made) {
    auto wrong = std::move(made).error();
    wrong.pointer.insert(0, "/schema");
    return conversation_refusal{validation_error, std::move(wrong)};
  }
  return std::nullopt;
}

} // namespace

void conversation::take(recorder& to, const open_conversation& input) {
  const auto key = conversation_id(state_.run_id, input.node_id,
                                   input.interrupt_count);
  const auto own = conversation_id(state_.run_id, input.node_id, input.attempt);
  if (!key || !own)
    return to.refuse({validation_error, key ? own.error() : key.error()});
  if (state_.status != status::none && state_.key == *key)
    return to.answer(answer_of(state_.turns.front()), true);
  if (!state_.suspended_by.empty())
    return to.refuse(validation_error, "conversation_open",
                     "this conversation was opened before");
  const auto id = input.conversation_id.value_or(*own);
  if (auto wrong = check_terms(input, id))
    return to.refuse(*std::move(wrong));
  auto first = first_turn(input, id, to.time());
  if (auto wrong = check_first(first, id))
    return to.refuse(*std::move(wrong));
  const auto& node = input.node_id;
  to.record(run_event_type::node_suspended, node,
            encode(node_suspended{.node_id = node,
                                  .interrupt_id = *key,
                                  .key = *key,
                                  .reason = std::string{conversation_reason}}),
            input.causation_id);
  const auto data = encode(start_data{id, input.title, first.content});
  interrupt_requested request{.run_id = state_.run_id,
                              .node_id = node,
                              .interrupt_id = *key,
                              .kind = interrupt_kind::conversation_start,
                              .key = *key,
                              .data = data.get_object(),
                              .requested_at = format_timestamp(to.time())};
  if (input.timeout_ms > 0)
    request.timeout_ms = input.timeout_ms;
  to.record(run_event_type::interrupt_requested, node, encode(request),
            state_.suspended_by);
  to.record(run_event_type::conversation_opened, node,
            encode(conversation_opened{id, std::move(first), input.agent_id,
                                       input.schema, input.capabilities}),
            state_.suspended_by);
  to.answer(answer_of(state_.turns.front()));
}

conversation_turn conversation::host_turn(const recorder& to, status as,
                                          std::string_view message) const {
  const auto next = static_cast<std::int64_t>(state_.turns.size());
  json::object content{{"reason", to_word(as)}};
  if (!message.empty())
    content.emplace("message", sanitize_utf8(std::string{
                                 message.substr(0, cancel_reason_max)}));
  return {.message_id = message_id(state_.conversation_id, next,
                                   turn_role::system),
          .from = "system",
          .content = {std::move(content)},
          .ts = to.time(),
          .role = turn_role::system,
          .turn_index = next};
}

} // namespace convene::session
