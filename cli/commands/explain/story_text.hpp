#pragma once

#include <convene/session/story/session_story.hpp>

#include <string>

namespace convene::cli {

/// What happened in a session, in sentences; at most some 200 lines, however
/// long it was. Everything from outside is made neutral. In color, titles are
/// bold, failures red, and the end is green if the session completed, else red.
[[nodiscard]] std::string story_text(const session::session_story& of,
                                     bool in_color);

} // namespace convene::cli
