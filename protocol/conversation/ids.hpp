#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/conversation/turn.hpp>

#include <string_view>

namespace convene::protocol {

/// The most bytes of a conversation's id and of an interrupt's key: less than
/// the protocol's 256, so that ids of messages can be made of them.
inline constexpr std::size_t conversation_id_max = 230;

/// Refuses ids of runs and nodes that are empty, longer than `run_text_max` or
/// no UTF-8, a colon or slash in the run's id, with which two conversations
/// could have one id, and a negative number; rule `conversation_id`.
[[nodiscard]] result<void> check_conversation_parts(std::string_view run_id,
                                                    std::string_view node_id,
                                                    std::int64_t number);

/// `run:node:number`, where the number is the node's attempt, for a
/// conversation, or the count of its interrupts, for a key. Refuses these
/// likewise, and what makes an id longer than `conversation_id_max`.
[[nodiscard]] result<std::string> conversation_id(std::string_view run_id,
                                                  std::string_view node_id,
                                                  std::int64_t number);

/// `conversation:index:role`, the id of a message that the host makes.
[[nodiscard]] std::string message_id(std::string_view conversation_id,
                                     std::int64_t turn_index, turn_role role);

/// The id of an event: the same for the same run and place, on any machine.
[[nodiscard]] std::string run_event_id(std::string_view run_id,
                                       std::int64_t sequence);

} // namespace convene::protocol
