#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/words.hpp>
#include <convene/protocol/codec/held_values.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace convene::protocol {

// The bounds of texts, in characters.
inline constexpr std::size_t conversation_text_max = 256;
inline constexpr std::size_t run_text_max = 128;

/// What the speaker of a turn is.
enum class turn_role : std::uint8_t { user, agent, system };
CONVENE_WORDS(turn_role, "user", "agent", "system");

/// With whom an agent shares its context. The third stands for one group, which
/// the turn's `group_id` names.
enum class agent_sharing : std::uint8_t { isolated, shared, shared_in_group };
CONVENE_WORDS(agent_sharing, "isolated", "shared", "shared:%shared%");

/// The agent that speaks.
struct turn_agent {
  std::optional<std::string> agent_id;
  std::optional<protocol::agent_sharing> agent_sharing;
  std::optional<std::string> memory_ref;
  json::object others; ///< further members

  bool operator==(const turn_agent&) const = default;
};

/// One message of a conversation and its place in it
/// (conversation-turn.schema.json).
struct conversation_turn {
  std::string message_id; ///< tells repetitions apart
  std::string from;       ///< an agent id, or `user`
  any_value content;
  std::int64_t ts = 0; ///< milliseconds since 1970 by the speaker's clock
  turn_role role = turn_role::user;
  std::int64_t turn_index = 0;         ///< the opening turn has 0
  std::optional<std::string> to;       ///< absent: everybody
  std::optional<std::string> group_id; ///< whose shared context it belongs to
  std::optional<turn_agent> agent;
  std::optional<std::string> speaker_id; ///< the agent id, on turns of agents
  json::object others;                   ///< further members

  bool operator==(const conversation_turn&) const = default;
};

/// Whether two turns say the same, whichever way their JSON was written.
[[nodiscard]] bool same_turn(const conversation_turn& a,
                             const conversation_turn& b);

} // namespace convene::protocol
