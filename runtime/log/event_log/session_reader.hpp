#pragma once

#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/log/event_log/cursor.hpp>
#include <convene/runtime/log/event_log/reader.hpp>

namespace convene::host {

/// Summary of reading one session.
struct session_summary {
  std::uint64_t lines = 0;      ///< events of the session
  std::uint64_t bytes_read = 0; ///< of the log, without its index
  log_cursor end;               ///< after everything that was read
  /// As in `log_summary`; 0 if reading was stopped before the end.
  std::uint64_t unacknowledged_bytes = 0;
};

/// A line of a log; those before it are not shown, and mostly not read.
struct first_line {
  std::uint32_t segment = 0; ///< its number
  std::uint64_t number = 0;
};

/// Called for each event; returns whether to continue.
using session_visitor = std::function<bool(const log_place&, std::string_view)>;

/// Whether to write an index beside each segment that lacks one.
enum class index_writing : std::uint8_t { where_possible, never };

/// Visits the events of one session, in order, reading little else if the
/// segments have an index. A segment without a valid one is read from start to
/// end; an index is then written beside it, if the folder is writable. Events
/// added since an index was built are read, too, but not those added to the
/// last segment while it is read: a group is visited if it had been begun
/// before.
///
/// Each byte visited has been checked against its group's checksum or, by
/// index, against a checksum made when its group's was valid. Also checks that
/// each segment continues where the previous one, complete, ends. Does not look
/// for damage elsewhere. Errors are those of `visit_log`.
[[nodiscard]] protocol::result<session_summary>
visit_session(const std::filesystem::path& path, const protocol::uuid& session,
              const session_visitor& visit,
              index_writing writing = index_writing::where_possible,
              const read_limits& limits = {}, const first_line& from = {});

} // namespace convene::host
