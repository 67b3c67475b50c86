#pragma once

#include <convene/session/story/session_story.hpp>

#include <string>

namespace convene::cli {

/// What happened in a session, in sentences; at most some 200 lines, however
/// long it was. Everything from outside is made neutral.
[[nodiscard]] std::string story_text(const session::session_story& of);

} // namespace convene::cli
