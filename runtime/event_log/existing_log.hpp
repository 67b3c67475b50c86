#pragma once

#include <convene/runtime/event_log/group_scanner.hpp>
#include <convene/runtime/event_log/log_file.hpp>
#include <convene/runtime/event_log/reader.hpp>

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

/// The segments in the folder, in order, all of them (else `log_damaged`); a
/// first one where there is none.
[[nodiscard]] protocol::result<std::vector<std::filesystem::path>>
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
