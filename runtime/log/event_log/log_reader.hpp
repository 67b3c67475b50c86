#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/log/event_log/cursor.hpp>
#include <convene/runtime/log/event_log/ended_sessions.hpp>
#include <convene/runtime/log/event_log/group_scanner.hpp>
#include <convene/runtime/log/event_log/segments.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace convene::host {

/// One event of a log, as text without its line end. Valid until the next one
/// is read.
struct event_line {
  std::size_t file_index = 0; ///< into the reader's segments
  std::uint64_t number = 0;   ///< 1-based, in its file
  std::uint64_t offset = 0;   ///< of its first byte, in its file
  std::string_view text;
};

/// Reads a log forward from any cursor, while it may be growing, in bounded
/// memory. Returns only events of complete groups whose checksum and chain are
/// valid. Not thread-safe; many readers of one log are fine.
class log_reader {
public:
  /// Errors: those of `log_segments`; rule `log_cursor` if the log has no such
  /// place, or no longer: its segment was removed.
  [[nodiscard]] static protocol::result<log_reader>
  open(const std::filesystem::path& path, const log_cursor& from = {},
       const read_limits& limits = {});

  /// The next event; nothing: the end has been reached. A later call resumes
  /// with what was written since, also in new segments. After an error
  /// (reader.hpp has the rules), no more events follow; `log_cursor` if the
  /// next event was removed before it was read.
  [[nodiscard]] protocol::result<std::optional<event_line>> next();

  /// The position between the last event returned and the next one.
  [[nodiscard]] log_cursor cursor() const;

  /// To be called at the end: how many bytes follow the last group of the last
  /// file, which were never acknowledged. Error: they are not a log
  /// (`not_a_log`), they are damage, not a torn tail, or the log has lost the
  /// end of a session (`session_end_missing`).
  [[nodiscard]] const protocol::result<std::uint64_t>&
  unacknowledged_bytes() const noexcept {
    return tail_;
  }

  /// The files known at the last step.
  [[nodiscard]] const std::vector<log_segment>& segments() const noexcept {
    return segments_;
  }

  /// Groups read so far.
  [[nodiscard]] std::uint64_t groups() const noexcept {
    return groups_;
  }

private:
  [[nodiscard]] static protocol::result<log_reader>
  open_at(const std::filesystem::path& path, const log_cursor& from,
          const read_limits& limits, int looks);
  log_reader(std::filesystem::path path, std::vector<log_segment> segments,
             std::size_t current, input_file file, group_scanner scan,
             const read_limits& limits);

  [[nodiscard]] protocol::result<bool> next_group();
  [[nodiscard]] protocol::result<bool> has_successor();
  [[nodiscard]] protocol::result<void> cross();
  [[nodiscard]] protocol::result<void> check_opened() const;
  [[nodiscard]] tl::unexpected<protocol::error>
  removed_meanwhile(const log_segment& which) const;
  /// Whether there are or were segments before the first known one, or after
  /// it: false for a file that is read by itself.
  [[nodiscard]] bool in_a_chain() const noexcept {
    return segments_.size() > 1 || segments_.front().after_removed;
  }
  [[nodiscard]] protocol::result<void> skip_behind();
  /// Whether the log, which ends here, has what `told_` says.
  [[nodiscard]] protocol::result<bool> has_told_end() const;
  std::string_view take_line();

  std::filesystem::path path_;
  std::vector<log_segment> segments_;
  std::size_t current_; // index into segments_
  input_file file_;
  group_scanner scan_;
  read_limits limits_;

  std::uint64_t read_to_ = 0;               // in the file
  protocol::result<std::uint64_t> tail_{0}; // as the file's end was
  bool saw_successor_ = false;              // before the file's end was read
  std::optional<std::uint32_t> chain_; // crc of the segment before's last group
  std::optional<ended_mark> told_;     // until the log's end was compared

  scanned_group group_;      // the one that events come from
  std::string_view left_;    // of its text
  std::uint64_t behind_ = 0; // its lines that are not left
  std::uint64_t skip_ = 0;   // of the cursor's group
  std::uint64_t groups_ = 0;
};

/// Whether a group with the crc `at.previous_crc` ends where, according to
/// `at`, the next one starts.
[[nodiscard]] protocol::result<bool> follows_a_group(const input_file& file,
                                                     const group_place& at);

} // namespace convene::host
