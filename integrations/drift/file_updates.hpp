#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/timestamp.hpp>

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// The longest line with an event, and the most files that events may be about:
/// rules `event_bytes_max`, `event_paths_max`.
inline constexpr std::size_t event_bytes_max = 1 << 20;
inline constexpr std::size_t event_paths_max = 100'000;
/// The errors that are kept; the others are counted.
inline constexpr std::size_t event_errors_kept = 100;

/// What outside programs said of files: per path the latest time. Of several
/// events of a path only the latest counts, so neither order nor repetition
/// matters, and there is never more to keep than paths.
struct file_updates {
  std::map<std::string, protocol::timestamp_ms, std::less<>> latest;
  std::size_t taken = 0;       ///< events of file_update
  std::size_t passed_over = 0; ///< valid events of other types
  std::size_t refused = 0;
  std::vector<protocol::error> errors; ///< of the first that were refused
};

/// Takes one line: a core event of the family external_integration and type
/// file_update that names its `source`, with a payload that is valid by
/// mplp-file-update-event. Whatever is wrong with it is added to `errors`, with
/// `number` as the line. Empty lines are skipped.
void take_line(file_updates& to, std::string_view line, std::size_t number);

/// Reads all lines of a file, or of standard input if it is `-`. Fails only if
/// that cannot be read; errors of lines name the file.
[[nodiscard]] protocol::result<file_updates>
read_file_updates(const std::filesystem::path& file);

} // namespace convene::host
