#pragma once

#include <convene/runtime/participants/people.hpp>

#include <string>

namespace convene::cli {

/// A request as a person reads it: the task, what was said and what changed
/// since their previous one. Nothing in it can move a terminal's cursor.
[[nodiscard]] std::string text_of(const actors::turn_request& asked);

} // namespace convene::cli
