#pragma once

#include <convene/actors/behaviours/turn_request.hpp>
#include <convene/protocol/documents/action.hpp>
#include <convene/protocol/documents/reply.hpp>
#include <convene/runtime/outside/participants/a2a_settings.hpp>
#include <tl/expected.hpp>

#include <cstdint>
#include <string>
#include <string_view>

// Turns as messages to a remote agent, and its answers as replies; for sources
// in this folder only. Pure.

namespace convene::host {

/// The media types of the data parts that are convene's own: a request as
/// request_json.hpp has it, without token and deadline, and a reply.
inline constexpr std::string_view a2a_request_type
  = "application/vnd.convene.request+json";
inline constexpr std::string_view a2a_reply_type
  = "application/vnd.convene.reply+json";

/// The SendMessageRequest for a turn, but for the message's id. The same for a
/// request that is made again: no token, no time.
[[nodiscard]] protocol::json::object
message_for(const a2a_settings& settings, const actors::turn_request& asked);

/// The same with the id, which follows from the key: 36 characters.
[[nodiscard]] protocol::json::object with_message_id(protocol::json::object to,
                                                     std::string_view key);

enum class a2a_state : std::uint8_t {
  message, ///< there is no task
  open,    ///< submitted or working
  completed,
  failed,
  rejected,
  cancelled,
  input_required,
  auth_required,
};

/// An answer that has the form of one. Refers to the JSON that it is read from.
struct a2a_answer {
  a2a_state state = a2a_state::message;
  std::string_view task_id;             ///< empty: there is no task
  const protocol::json::object* inside; ///< the message or task
};

/// Reads {"message": {...}} or {"task": {...}}; `agent_answer_invalid`, also if
/// a part of a message or of a completed task is none (a2a_part.hpp).
[[nodiscard]] tl::expected<a2a_answer, protocol::action_error>
read_a2a_answer(const protocol::json::object& from);

/// What the agent replies by an answer that is not `open`. Codes of failed
/// replies: `agent_failed`, `agent_rejected`, `agent_cancelled`,
/// `agent_input_required`, `agent_auth_required`, `agent_reply_invalid`.
[[nodiscard]] protocol::reply reply_of(const a2a_answer& what);

} // namespace convene::host
