#include <convene/protocol/conversation/interrupt.hpp>
#include <convene/protocol/documents/document_codec.hpp>

namespace convene::protocol {
namespace {

using kind = interrupt_kind;

/// The data as `T`, turned by `fill` into a request.
template <class T, class Fill>
result<conversation_request>
request_of(const suspend_request& from, const std::string& pointer, Fill fill) {
  auto data = decode<T>(from.data, pointer);
  if (!data)
    return fail(std::move(data).error());
  conversation_request made;
  made.timeout_ms = from.timeout_ms;
  fill(made, *std::move(data));
  return made;
}

void fill_start(conversation_request& to, start_data&& from) {
  to.conversation_id = std::move(from.conversation_id);
  to.title = std::move(from.title);
  to.prompt = std::move(from.initial_prompt);
}

void fill_exchange(conversation_request& to, exchange_data&& from) {
  to.operation = conversation_operation::exchange;
  to.conversation_id = std::move(from.conversation_id);
  to.prompt = std::move(from.prompt);
  to.schema = std::move(from.outcome_schema);
  to.turn_index = from.turn_index;
}

void fill_close(conversation_request& to, close_data&& from) {
  to.operation = conversation_operation::close;
  to.conversation_id = std::move(from.conversation_id);
  to.reason = std::move(from.reason);
}

void fill_any(conversation_request& to, conversation_data&& from) {
  to.operation = from.operation;
  to.conversation_id = std::move(from.conversation_id);
  to.agent_id = std::move(from.agent_id);
  to.initial_turn = std::move(from.initial_turn);
  to.schema = std::move(from.schema);
  to.capabilities = std::move(from.capabilities);
  to.title = std::move(from.title);
  to.prompt = from.initial_prompt ? std::move(from.initial_prompt)
                                  : std::move(from.prompt);
  to.turn_index = from.turn_index;
  to.reason = std::move(from.reason);
}

} // namespace

bool is_conversation(interrupt_kind of) noexcept {
  return of == kind::conversation || of == kind::conversation_start
         || of == kind::conversation_exchange || of == kind::conversation_close;
}

result<suspend_request> decode_suspend_request(const json::value& from,
                                               std::string_view pointer) {
  auto made = decode<suspend_request>(from, pointer);
  if (made && is_conversation(made->kind))
    if (auto known = read_conversation_request(*made, pointer); !known)
      return fail(std::move(known).error());
  return made;
}

result<conversation_request>
read_conversation_request(const suspend_request& from,
                          std::string_view pointer) {
  const auto data = std::string{pointer} + "/data";
  if (from.resume_schema)
    return fail({.code = errc::unsupported,
                 .message = "a conversation is answered by turns: give the "
                            "schema of what they say as data.schema of kind "
                            "conversation, or leave it out",
                 .pointer = std::string{pointer} + "/resumeSchema",
                 .rule = "resume_schema"});
  switch (from.kind) {
    case kind::conversation:
      return request_of<conversation_data>(from, data, fill_any);
    case kind::conversation_start:
      return request_of<start_data>(from, data, fill_start);
    case kind::conversation_exchange:
      return request_of<exchange_data>(from, data, fill_exchange);
    case kind::conversation_close:
      return request_of<close_data>(from, data, fill_close);
    default:
      return fail({.code = errc::invalid_document,
                   .message = "this kind is not about a conversation",
                   .pointer = std::string{pointer} + "/kind",
                   .rule = "interrupt_kind",
                   .value = std::string{to_word(from.kind)}});
  }
}

} // namespace convene::protocol
