#pragma once

#include <convene/cli/view/timeline.hpp>

#include <string>
#include <string_view>

namespace convene::cli {

/// One event of a log as a line for a person, with its line end: time, the
/// beginning of the session's id, turn, who, the type, and what it says in
/// short. `style.verbose` shows date and session whole. Unlike in a timeline,
/// each event has its line, and no other is needed to understand it. Everything
/// from outside is made neutral.
[[nodiscard]] std::string event_row(std::string_view event,
                                    const timeline_style& style);

} // namespace convene::cli
