#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/conversation/conversation_events.hpp>

#include <string_view>

namespace convene::protocol {

/// What a node asks for when it suspends. `conversation` is RFC 0005's one kind
/// for what the published schemas have three for.
enum class interrupt_kind : std::uint8_t {
  approval,
  clarification,
  external_event,
  custom,
  conversation,
  conversation_start,
  conversation_exchange,
  conversation_close,
  low_confidence
};
CONVENE_WORDS(interrupt_kind, "approval", "clarification", "external-event",
              "custom", "conversation", "conversation.start",
              "conversation.exchange", "conversation.close", "low-confidence");

/// Whether it is one of the four that concern conversations.
[[nodiscard]] bool is_conversation(interrupt_kind kind) noexcept;

/// A node's request (suspend-request.schema.json).
struct suspend_request {
  interrupt_kind kind = interrupt_kind::approval;
  std::string key;   ///< the same in one run: the same request, answered once
  json::object data; ///< depends on the kind
  std::optional<json::object> resume_schema; ///< of the answer
  std::optional<std::int64_t> timeout_ms;    ///< 0 or absent: for ever

  bool operator==(const suspend_request&) const = default;
};

// The data of conversation.start, .exchange and .close.

struct start_data {
  std::string conversation_id;
  std::optional<std::string> title;
  std::optional<any_value> initial_prompt;

  bool operator==(const start_data&) const = default;
};

struct exchange_data {
  std::string conversation_id;
  any_value prompt;
  std::optional<json::object> outcome_schema;
  std::optional<std::int64_t> turn_index;

  bool operator==(const exchange_data&) const = default;
};

struct close_data {
  std::string conversation_id;
  std::optional<std::string> reason;

  bool operator==(const close_data&) const = default;
};

enum class conversation_operation : std::uint8_t { start, exchange, close };
CONVENE_WORDS(conversation_operation, "start", "exchange", "close");

/// The data of kind conversation (RFC 0005, section A).
struct conversation_data {
  conversation_operation operation = conversation_operation::start;
  std::optional<std::string> conversation_id;
  std::optional<std::string> agent_id;
  std::optional<conversation_turn> initial_turn;
  std::optional<json::object> schema;
  std::vector<conversation_capability> capabilities;
  // What the published schemas have names for.
  std::optional<std::string> title;
  std::optional<any_value> prompt;
  std::optional<any_value> initial_prompt;
  std::optional<std::int64_t> turn_index;
  std::optional<std::string> reason;
  json::object others; ///< further members

  bool operator==(const conversation_data&) const = default;
};

/// What a request asks of a conversation, whichever form it has; what its form
/// has no member for is absent.
struct conversation_request {
  conversation_operation operation = conversation_operation::start;
  std::optional<std::string> conversation_id;
  std::optional<std::string> agent_id;
  std::optional<std::string> title;
  std::optional<any_value> prompt;
  std::optional<conversation_turn> initial_turn;
  std::optional<json::object> schema; ///< of what turns say
  std::vector<conversation_capability> capabilities;
  std::optional<std::int64_t> turn_index;
  std::optional<std::string> reason;
  std::optional<std::int64_t> timeout_ms; ///< 0 or absent: for ever

  bool operator==(const conversation_request&) const = default;
};

/// Reads a request of any kind, with its data if it is about a conversation.
/// Refuses what the schema refuses, and rule `resume_schema` for a conversation
/// that has one: its answers are turns, whose schema it is given otherwise.
[[nodiscard]] result<suspend_request>
decode_suspend_request(const json::value& from, std::string_view pointer = "");

/// What a request of one of the four kinds asks for. `pointer` is the
/// request's.
[[nodiscard]] result<conversation_request>
read_conversation_request(const suspend_request& from,
                          std::string_view pointer = "");

} // namespace convene::protocol
