#pragma once

#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/event_log/cursor.hpp>
#include <convene/runtime/event_log/reader.hpp>

namespace convene::host {

/// What reading one session took.
struct session_summary {
  std::uint64_t lines = 0;      ///< events of the session
  std::uint64_t bytes_read = 0; ///< of the log, without its index
  log_cursor end;               ///< behind all that was read
  /// As in `log_summary`; 0 where reading was stopped before the end.
  std::uint64_t unacknowledged_bytes = 0;
};

/// A line of a log; those before it are not shown, and mostly not read.
struct first_line {
  std::uint32_t segment = 0; ///< its number
  std::uint64_t number = 0;
};

/// Is told of one event; returns whether to go on.
using session_visitor = std::function<bool(const log_place&, std::string_view)>;

/// Whether to leave an index beside each segment that lacks one.
enum class index_writing : std::uint8_t { where_possible, never };

/// Shows the events of one session, in their order, reading little else where
/// the segments have an index. A segment without a good one is read from front
/// to end; then an index is left beside it, if the folder can be written.
/// What has been added since an index was made is read, too; what is added to
/// the last segment while it is read, is not: a group is shown if it had been
/// begun before.
///
/// Each byte shown has been checked, against its group's checksum or, by
/// index, against a checksum that was made when its group's was good; that each
/// segment goes on where the one before ends, whole, is checked, too. Damage
/// elsewhere is not looked for. Errors are those of `visit_log`.
[[nodiscard]] protocol::result<session_summary>
visit_session(const std::filesystem::path& path, const protocol::uuid& session,
              const session_visitor& visit,
              index_writing writing = index_writing::where_possible,
              const read_limits& limits = {}, const first_line& from = {});

} // namespace convene::host
