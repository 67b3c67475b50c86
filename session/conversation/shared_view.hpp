#pragma once

#include <convene/protocol/conversation/turn.hpp>

#include <string>

namespace convene::session {

/// An agent that is shown the turns of a run.
struct turn_viewer {
  std::string conversation_id; ///< the one that it takes part in; may be empty
  protocol::agent_sharing sharing = protocol::agent_sharing::isolated;
  std::string group_id; ///< with sharing `shared:<group>`
};

/// Whether an agent sees a turn. One of a group is for those who share with
/// that group, in all conversations of the run. Any other is for those who take
/// part in its conversation, and for those who share with the whole run.
[[nodiscard]] bool may_see(const turn_viewer& who,
                           std::string_view conversation_id,
                           const protocol::conversation_turn& turn);

} // namespace convene::session
