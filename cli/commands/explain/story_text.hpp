#pragma once

#include <convene/cli/commands/explain/session_story.hpp>

#include <string>

namespace convene::cli {

/// What happened in a session, in sentences; at most some 200 lines, however
/// long it was. Everything from outside is made neutral.
[[nodiscard]] std::string story_text(const session_story& of);

/// The same for programs; docs/explain.md lists its members.
[[nodiscard]] json::object story_json(const session_story& of);

} // namespace convene::cli
