#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/log/event_log/read_limits.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// One event of a log, as text without its line end.
struct log_line {
  std::size_t file = 0;   ///< index into the list of files
  std::size_t number = 0; ///< 1-based, in its file
  std::string text;
};

/// What reading found besides the events.
struct log_summary {
  std::vector<std::string> files; ///< in the order they were read
  std::uint64_t lines = 0;        ///< events
  std::uint64_t groups = 0;
  /// Bytes after the last `log_group` of the last file: a torn tail, which was
  /// never acknowledged and is not among the events.
  std::uint64_t unacknowledged_bytes = 0;
  /// For `visit_sessions`: how many sessions were omitted.
  std::uint64_t sessions_cut = 0;
  /// Of these, how many also have no end on the log. Removing segments never
  /// causes that; a power loss with durability `none` may.
  std::uint64_t sessions_lost = 0;
};

/// A whole log in memory.
struct log_contents {
  log_summary summary;
  std::vector<log_line> lines;
};

/// The place of an event passed to a visitor.
struct log_place {
  const std::string& file;
  std::size_t file_index = 0; ///< into the files of the log
  std::uint32_t segment = 1;  ///< its number, which never changes
  std::size_t number = 0;
  std::uint64_t offset = 0; ///< of the line's first byte
};
using log_visitor = std::function<void(const log_place&, std::string_view)>;

/// The files of a log, as segments.hpp says.
[[nodiscard]] protocol::result<std::vector<std::filesystem::path>>
log_files(const std::filesystem::path& path);

/// Reads a log once from start to end, in bounded memory, and visits each event
/// whose group is complete. An error names file and line; its rule is one of
/// - `not_a_log`: the file contains no event log,
/// - `log_opened_missing`: its first line is missing,
/// - `log_damaged`: a group's bytes, checksum or chain are wrong, or a segment
///   is missing; the message has the byte offsets, expected and found,
/// - `session_end_missing`: a folder of segments lacks the end of a session
///   that was acknowledged; all that is there has been visited,
/// - `log_format`: written by a version that this one cannot read,
/// - `log_line_bytes`, `log_group_bytes`: a limit was reached.
[[nodiscard]] protocol::result<log_summary>
visit_log(const std::filesystem::path& path, const log_visitor& visit,
          const read_limits& limits = {});

/// Like `visit_log`, but only sessions from their beginning: if the first
/// segments were removed, the rest of sessions that began there is omitted.
[[nodiscard]] protocol::result<log_summary>
visit_sessions(const std::filesystem::path& path, const log_visitor& visit,
               const read_limits& limits = {});

/// Like `visit_log`, all in memory.
[[nodiscard]] protocol::result<log_contents>
read_log(const std::filesystem::path& path, const read_limits& limits = {});

} // namespace convene::host
