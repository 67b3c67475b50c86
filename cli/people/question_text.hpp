#pragma once

#include <convene/runtime/outside/participants/people.hpp>

#include <string>
#include <string_view>

namespace convene::cli {

/// Whether a question says of which session it is.
enum class session_named : bool { no, yes };

/// What is wanted of who is asked, in words.
[[nodiscard]] std::string_view wanted_words(const actors::turn_request& asked);

/// A request as a person reads it: the task, what was said and what changed
/// since their previous one, or the whole call that they are asked to approve.
/// Nothing in it can move a terminal's cursor.
[[nodiscard]] std::string
question_text(const actors::turn_request& asked,
              session_named named = session_named::no);

} // namespace convene::cli
