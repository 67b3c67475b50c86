#include <convene/session/conversation/shared_view.hpp>

namespace convene::session {

bool may_see(const turn_viewer& who, std::string_view conversation_id,
             const protocol::conversation_turn& turn) {
  using enum protocol::agent_sharing;
  if (turn.group_id && !turn.group_id->empty())
    return who.sharing == shared_in_group && who.group_id == *turn.group_id;
  return who.sharing == shared || who.conversation_id == conversation_id;
}

} // namespace convene::session
