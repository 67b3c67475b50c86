#pragma once

#include <boost/json/object.hpp>

namespace convene::host {

/// Adds to `session` of a complete scenario the guards that it does not set:
/// with behaviours of type `llm`, `process`, `http`, `a2a` or `mcp`,
/// `max_turns` 200 and `no_progress` 6, unless `rounds` is set and the mode
/// counts them, and for each participant of type `llm` 2,000,000 to
/// `budget.tokens`. A guard that the scenario lifts gets its highest number, so
/// that the resolved scenario lifts it, too. A single agent's session gets the
/// budget only, since its steps are bounded. Members of other types are left
/// for the decoder to refuse.
void add_guards(boost::json::object& scenario, bool single_agent);

} // namespace convene::host
