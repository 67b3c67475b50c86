#pragma once

#include <convene/protocol/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

// Distinguishes segments removed on purpose from lost ones: the file `removed`
// beside the segments. docs/events.md section 3 has its format.

namespace convene::host {

inline constexpr std::string_view removed_file_name = "removed";

/// The removed segments of a log: its first ones, without gaps.
struct removed_segments {
  std::uint32_t through = 0; ///< the last of them; 0: none
  /// The crc of its last group; also in the next segment's `log_opened`.
  std::uint32_t last_crc = 0;

  bool operator==(const removed_segments&) const = default;
};

/// The size of a record, which divides a sector: no write tears one.
inline constexpr std::size_t removal_bytes = 128;

/// One record with its line end.
[[nodiscard]] std::string to_record(const removed_segments& removed);

/// The content of a file of records.
struct removal_records {
  removed_segments last;
  std::uint64_t bytes = 0; ///< of complete records; what follows is a torn one
};

/// Reads a whole file. A last record that was never completely written is
/// ignored; a changed one is refused as `log_damaged`, with its place.
[[nodiscard]] protocol::result<removal_records>
parse_removals(std::string_view bytes, const std::string& file);

/// Reads the file `removed` of a folder of segments. No file: none.
[[nodiscard]] protocol::result<removed_segments>
read_removed(const std::filesystem::path& folder);

/// Whether segments were removed from the log at `path`.
[[nodiscard]] bool is_trimmed(const std::filesystem::path& path);

} // namespace convene::host
