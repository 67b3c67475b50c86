#pragma once

#include <convene/session/story/session_story.hpp>

namespace convene::session {

/// What happened in a session, for programs; docs/inspect.md lists its members.
[[nodiscard]] json::object story_json(const session_story& of);

} // namespace convene::session
