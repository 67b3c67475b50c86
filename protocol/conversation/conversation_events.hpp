#pragma once

#include <convene/protocol/conversation/turn.hpp>

#include <vector>

namespace convene::protocol {

enum class conversation_capability : std::uint8_t { multi_turn, streaming };
CONVENE_WORDS(conversation_capability, "multi-turn", "streaming");

// The payloads of a conversation's events (conversation-event.schema.json).

struct conversation_opened {
  std::string conversation_id;
  conversation_turn initial_turn;
  std::optional<std::string> agent_id;
  std::optional<json::object> schema; ///< of what turns say
  std::vector<conversation_capability> capabilities;

  bool operator==(const conversation_opened&) const = default;
};

struct conversation_exchanged {
  std::string conversation_id;
  std::int64_t turn_index = 1; ///< that of the turn
  conversation_turn turn;

  bool operator==(const conversation_exchanged&) const = default;
};

struct conversation_closed {
  std::string conversation_id;
  std::int64_t turn_index = 0; ///< that of the turn
  conversation_turn final_turn;
  std::optional<any_value> outcome;

  bool operator==(const conversation_closed&) const = default;
};

} // namespace convene::protocol
