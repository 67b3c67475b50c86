#pragma once

#include <convene/protocol/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

// What tells a segment that was removed on purpose from one that was lost: the
// file `removed` beside the segments. docs/events.md section 3 has its format.

namespace convene::host {

inline constexpr std::string_view removed_file_name = "removed";

/// The segments of a log that were removed: its first ones, none left out.
struct removed_segments {
  std::uint32_t through = 0; ///< the last of them; 0: none
  /// Of that one's last group; the next segment's `log_opened` has it, too.
  std::uint32_t last_crc = 0;

  bool operator==(const removed_segments&) const = default;
};

/// A record is so long, which divides a sector: no write tears one.
inline constexpr std::size_t removal_bytes = 128;

/// One record with its line end.
[[nodiscard]] std::string to_record(const removed_segments& removed);

/// What a file of records says.
struct removal_records {
  removed_segments last;
  std::uint64_t bytes = 0; ///< of whole records; what follows is a torn one
};

/// Reads a whole file. A last record that was never written whole counts for
/// nothing; a changed one is refused as `log_damaged`, with its place.
[[nodiscard]] protocol::result<removal_records>
parse_removals(std::string_view bytes, const std::string& file);

/// Reads the file `removed` of a folder of segments. No file: none.
[[nodiscard]] protocol::result<removed_segments>
read_removed(const std::filesystem::path& folder);

} // namespace convene::host
