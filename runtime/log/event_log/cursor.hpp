#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/log/event_log/group_scanner.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace convene::host {

/// A position between two events of a log, from which reading can resume. It
/// names the group of the next event, since a group can only be verified as a
/// whole. Remains valid while the log grows, until its segment is removed.
struct log_cursor {
  std::uint32_t segment = 0; ///< 0: the log's beginning
  group_place group;         ///< in that segment's file
  std::uint64_t behind = 0;  ///< lines of that group already read

  bool operator==(const log_cursor&) const = default;
};

/// `segment:offset:line:behind:crc`, where offset and line (in decimal) are of
/// the group's start, and crc (8 hex digits) is that of the group before it.
[[nodiscard]] std::string to_string(const log_cursor& cursor);

/// Parses exactly what `to_string` writes; otherwise errc::usage, rule
/// `log_cursor`.
[[nodiscard]] protocol::result<log_cursor> parse_cursor(std::string_view text);

} // namespace convene::host
