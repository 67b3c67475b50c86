#pragma once

#include <boost/json/object.hpp>

namespace convene::host {

/// Adds to `session` of a complete scenario the guards that it does not set:
/// with behaviours of type `llm`, `process`, `http`, `a2a` or `mcp`,
/// `max_turns` 200 and `no_progress` 6. A guard that the scenario lifts gets
/// its highest number, so that the resolved scenario lifts it, too. Members of
/// other types are left for the decoder to refuse.
void add_guards(boost::json::object& scenario);

} // namespace convene::host
