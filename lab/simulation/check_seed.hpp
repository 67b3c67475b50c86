#pragma once

#include <boost/json/value.hpp>
#include <convene/lab/simulation/seed_findings.hpp>
#include <convene/lab/simulation/seed_log.hpp>
#include <convene/runtime/setup.hpp>

#include <cstddef>
#include <functional>
#include <string_view>

namespace convene::host {

/// Sees each event of a session that is JSON, with its number and its line.
using seed_visitor = std::function<void(
  std::size_t number, const boost::json::value& event, std::string_view line)>;

/// Judges the events of a session that has ended, as `convene check` does: by
/// the rules for logs, by replay (rule `recomputed`), and by the workspace that
/// they add up to (`workspace_matches_log`). A finding's line counts events.
/// `also` sees all of them.
void check_seed(const seed_log& log, const session_result& ended,
                seed_findings& found, const seed_visitor& also);

} // namespace convene::host
