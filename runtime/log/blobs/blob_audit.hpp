#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/blob.hpp>
#include <convene/runtime/log/event_log/reader.hpp>

#include <cstddef>
#include <filesystem>
#include <set>
#include <string_view>
#include <vector>

namespace convene::host {

/// Holds the blobs that a log names against the files beside it.
class blob_audit {
public:
  /// `log` as it can be read.
  explicit blob_audit(const std::filesystem::path& log);

  /// The next event. Reads each blob once.
  void feed(const log_place& place, std::string_view line);

  /// After the last event: counts the files that no event names. `is_whole`:
  /// all events have been shown; else there are none to count.
  void finish(bool is_whole);

  /// What is wrong, each with the file and line of the event that names the
  /// blob: rules `blob_missing`, `blob_corrupt`, `blob_unreadable`. The first
  /// ones, and how many there are.
  [[nodiscard]] const std::vector<protocol::error>& findings() const noexcept {
    return findings_;
  }
  [[nodiscard]] std::size_t findings_total() const noexcept {
    return total_;
  }

  /// How many blobs the log names.
  [[nodiscard]] std::size_t named() const noexcept {
    return named_.size();
  }
  /// How many files are there that it does not name: left by a crash, or by
  /// turns that closed too early; removed when the log is opened again.
  [[nodiscard]] std::size_t unnamed() const noexcept {
    return unnamed_;
  }

private:
  void note(protocol::error what);

  std::filesystem::path folder_; // empty: there is no log
  std::set<protocol::blob> named_;
  std::size_t unnamed_ = 0;
  std::vector<protocol::error> findings_;
  std::size_t total_ = 0;
};

} // namespace convene::host
