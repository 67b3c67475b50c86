#pragma once

#include <convene/runtime/log/event_log/ended_sessions.hpp>
#include <convene/runtime/log/event_log/group_scanner.hpp>
#include <convene/runtime/log/event_log/log_file.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/log/event_log/removed_segments.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

// How a writer prepares a log before writing to it.

namespace convene::host {

/// Takes the lock of a log, or fails if another holds it (`log_locked`).
[[nodiscard]] protocol::result<std::unique_ptr<storage_lock>>
take_lock(storage& files, const std::filesystem::path& path);

/// The name of a segment's file; empty if the number is too large for one.
[[nodiscard]] std::string segment_name(std::uint32_t number);

/// The name of its index.
[[nodiscard]] std::string index_name(std::uint32_t number);

/// What a writer finds in a folder of segments.
struct segment_files {
  removal_records removals;
  bool has_removals = false; ///< the file for them exists
  ended_records ended;
  /// In order, after the removed ones; the name of a first one if there is
  /// none.
  std::vector<std::filesystem::path> segments;
  bool has_segments = false;
  /// Files of removed segments that a crash left behind.
  std::vector<std::filesystem::path> leftovers;
};

/// Finds all of these; `log_damaged` if a segment is missing.
[[nodiscard]] protocol::result<segment_files>
segments_in(storage& files, const std::filesystem::path& folder);

/// The content of a whole file.
struct file_scan {
  group_scanner scan;
  std::uint64_t events = 0;
  std::uint64_t last_group = 0; ///< where it starts
};

/// Reads the file to its end and passes its events to `visit`, if given.
[[nodiscard]] protocol::result<file_scan>
scan_file(log_file& file, std::size_t index, const log_visitor& visit);

/// Waits until the name of a new file is on disk, and those of the folders that
/// may have been created for it.
[[nodiscard]] protocol::result<void>
sync_names(storage& files, const std::filesystem::path& file);

} // namespace convene::host
