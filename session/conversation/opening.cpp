#include <boost/json/serialize.hpp>
#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/conversation/ids.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/session/conversation/recorder.hpp>

#include <algorithm>

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

std::optional<conversation_refusal>
check_terms(const open_conversation& input) {
  const auto& cause = input.causation_id;
  if (cause
      && (cause->empty() || count_characters(*cause) > run_text_max
          || !valid_utf8(*cause)))
    return bad_opening("conversation_id",
                       "the id of the cause has 1 to 128 characters of UTF-8",
                       "/causationId");
  const auto agent = input.agent_id.value_or("");
  if (count_characters(agent) > conversation_text_max || !valid_utf8(agent))
    return bad_opening("maxLength",
                       "the agent's id has at most 256 characters of UTF-8",
                       "/agentId");
  const auto& can = input.capabilities;
  if (can.size() > words_of<conversation_capability>.size()
      || std::ranges::any_of(can, [&](auto each) {
           return std::ranges::count(can, each) > 1;
         }))
    return bad_opening("uniqueItems", "a capability is named once",
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
  if (input.title && !valid_utf8(*input.title))
    return bad_opening("utf8", "a text is not UTF-8", "/title");
  if (!input.schema)
    return std::nullopt;
  if (auto wrong = check_readable(*input.schema, "/schema"))
    return wrong;
  if (auto made = turn_schema::make(*input.schema); !made) {
    auto wrong = std::move(made).error();
    wrong.pointer.insert(0, "/schema");
    return conversation_refusal{validation_error, std::move(wrong)};
  }
  return std::nullopt;
}

/// The id that is given, or else the one that is made.
result<std::string>
given_or(const std::optional<std::string>& given, const std::string& run_id,
         const std::string& node_id, std::int64_t number, const char* pointer) {
  if (auto wrong = check_conversation_parts(run_id, node_id, number); !wrong)
    return fail(std::move(wrong).error());
  if (!given)
    return conversation_id(run_id, node_id, number);
  if (given->empty() || given->size() > conversation_id_max
      || !valid_utf8(*given))
    return fail({.code = errc::invalid_document,
                 .message = "the id of a conversation and its key have 1 to "
                            + std::to_string(conversation_id_max)
                            + " bytes of UTF-8",
                 .pointer = pointer,
                 .rule = "conversation_id"});
  return *given;
}

} // namespace

result<opening_ids> ids_of(const open_conversation& input,
                           const std::string& run_id) {
  const auto& node = input.node_id;
  auto key = given_or(input.key, run_id, node, input.interrupt_count, "/key");
  if (!key)
    return fail(std::move(key).error());
  auto id = given_or(input.conversation_id, run_id, node, input.attempt,
                     "/conversationId");
  if (!id)
    return fail(std::move(id).error());
  return opening_ids{*std::move(key), *std::move(id)};
}

void conversation::take(recorder& to, const open_conversation& input) {
  const auto ids = ids_of(input, state_.run_id);
  if (!ids)
    return to.refuse({validation_error, ids.error()});
  const auto& [key, id] = *ids;
  if (state_.status != status::none && state_.key == key)
    return to.answer_again(state_.turns.front());
  if (!state_.suspended_by.empty())
    return to.refuse(validation_error, "conversation_open",
                     "this conversation was opened before");
  if (auto wrong = check_terms(input))
    return to.refuse(*std::move(wrong));
  auto first = first_turn(input, id, to.time());
  if (auto wrong = check_turn_at(first, {.run_id = state_.run_id,
                                         .conversation_id = id,
                                         .pointer = "/initialTurn"}))
    return to.refuse(*std::move(wrong));
  const auto schema_bytes = input.schema ? json::serialize(*input.schema).size()
                                         : 0;
  if (auto wrong = check_room(schema_bytes + bytes_of(first), to.room()))
    return to.refuse(*std::move(wrong));
  const auto& node = input.node_id;
  to.record(run_event_type::node_suspended, node,
            encode(node_suspended{.node_id = node,
                                  .interrupt_id = key,
                                  .key = key,
                                  .reason = std::string{conversation_reason}}),
            input.causation_id);
  const auto data = encode(start_data{id, input.title, first.content});
  interrupt_requested request{.run_id = state_.run_id,
                              .node_id = node,
                              .interrupt_id = key,
                              .kind = interrupt_kind::conversation_start,
                              .key = key,
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
  to.answer();
}

conversation_turn conversation::host_turn(const recorder& to, status as,
                                          std::string_view message) const {
  const auto next = static_cast<std::int64_t>(state_.turns.size());
  json::object content{{"reason", to_word(as)}};
  if (!message.empty())
    content.emplace("message", sanitize_beginning(message, cancel_reason_max));
  return {.message_id = message_id(state_.conversation_id, next,
                                   turn_role::system),
          .from = "system",
          .content = {std::move(content)},
          .ts = to.time(),
          .role = turn_role::system,
          .turn_index = next};
}

} // namespace convene::session
