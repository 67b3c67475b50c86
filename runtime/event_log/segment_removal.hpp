#pragma once

#include <convene/runtime/event_log/existing_log.hpp>

#include <filesystem>

namespace convene::host {

/// Takes the first segments of a log away, so that a crash at any time leaves
/// no doubt about what was removed and what was lost: which ones is on the disk
/// before the first of them goes, and what is left of them goes at the next
/// start. Only the log's writer uses it.
class segment_removal {
public:
  segment_removal() = default; // of a log that is one file: nothing to do
  segment_removal(storage& files, std::filesystem::path folder,
                  const segment_files& found);

  /// Those that are gone.
  [[nodiscard]] const removed_segments& removed() const noexcept {
    return removals_.last;
  }

  /// Ends what a crash interrupted. To be called once the log is known to be
  /// whole.
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
