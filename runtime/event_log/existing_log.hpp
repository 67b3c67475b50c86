#pragma once

#include <convene/runtime/event_log/group_scanner.hpp>
#include <convene/runtime/event_log/log_file.hpp>
#include <convene/runtime/event_log/reader.hpp>
#include <convene/runtime/event_log/removed_segments.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

// What a writer does with a log before it writes to it.

namespace convene::host {

/// Takes the lock of a log, or says that somebody else has it (`log_locked`).
[[nodiscard]] protocol::result<std::unique_ptr<storage_lock>>
take_lock(storage& files, const std::filesystem::path& path);

/// The name of a segment's file; empty if the number is too large for one.
[[nodiscard]] std::string segment_name(std::uint32_t number);

/// The name of its index.
[[nodiscard]] std::string index_name(std::uint32_t number);

/// What a writer finds in a folder of segments.
struct segment_files {
  removal_records removals;
  bool has_removals = false; ///< a file for them
  /// In order, behind those that were removed; a first one where there is none.
  std::vector<std::filesystem::path> segments;
  /// Of removed segments: what a crash left there.
  std::vector<std::filesystem::path> leftovers;
};

/// All of that; `log_damaged` if a segment is missing.
[[nodiscard]] protocol::result<segment_files>
segments_in(storage& files, const std::filesystem::path& folder);

/// What a whole file has.
struct file_scan {
  group_scanner scan;
  std::uint64_t events = 0;
  std::uint64_t last_group = 0; ///< where it starts
};

/// Reads the file to its end and shows its events to `visit`, if given.
[[nodiscard]] protocol::result<file_scan>
scan_file(log_file& file, std::size_t index, const log_visitor& visit);

/// Waits until the name of a new file is on the disk, and those of the folders
/// that may have been made for it.
[[nodiscard]] protocol::result<void>
sync_names(storage& files, const std::filesystem::path& file);

} // namespace convene::host
