#pragma once

#include <convene/runtime/log/event_log/shared_log.hpp>

#include <string>
#include <string_view>
#include <vector>

// For sources in this folder only.

namespace convene::host {

/// The lines of one session in a group of a log.
struct session_part {
  std::string session_id;
  std::vector<std::string_view> lines = {}; ///< without their ends
  std::vector<line_range> ranges = {};      ///< of each, with its end
  bool ends = false; ///< the last one is the session's last
};

/// By session, in the order of their first lines. Leaves out lines of none.
[[nodiscard]] std::vector<session_part> parts_of(std::string_view lines);

/// Sorted, adjacent ones joined.
[[nodiscard]] std::vector<line_range> joined(std::vector<line_range> ranges);

} // namespace convene::host
