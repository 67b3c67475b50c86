#pragma once

#include <convene/runtime/log/event_log/existing_log.hpp>

#include <filesystem>

namespace convene::host {

/// Removes the first segments of a log, so that a crash at any time leaves no
/// doubt about what was removed and what was lost: the removal is recorded on
/// disk before the first file is deleted, and remaining files are deleted at
/// the next start. Only used by the log's writer.
class segment_removal {
public:
  segment_removal() = default; // of a log that is one file: nothing to do
  segment_removal(storage& files, std::filesystem::path folder,
                  const segment_files& found);

  /// The segments removed so far.
  [[nodiscard]] const removed_segments& removed() const noexcept {
    return removals_.last;
  }

  /// Completes what a crash interrupted. To be called once the log is known to
  /// be whole.
  [[nodiscard]] protocol::result<void> finish(const segment_files& found);

  /// Removes all up to `now.through`.
  [[nodiscard]] protocol::result<void> remove(const removed_segments& now);

private:
  [[nodiscard]] protocol::result<void> settle(log_file& records);
  [[nodiscard]] protocol::result<void>
  take_away(const std::filesystem::path& file);

  storage* files_ = nullptr;
  std::filesystem::path folder_;
  removal_records removals_;
};

} // namespace convene::host
