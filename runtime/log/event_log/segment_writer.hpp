#pragma once

#include <convene/runtime/log/event_log/ended_sessions.hpp>
#include <convene/runtime/log/event_log/log_file.hpp>
#include <convene/runtime/log/event_log/log_group.hpp>
#include <convene/runtime/log/event_log/log_options.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/log/event_log/retention.hpp>
#include <convene/runtime/log/event_log/segment_removal.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace convene::host {

/// Writes groups to one log, one call at a time: creates or continues the log,
/// chains the groups, starts a new segment when one is full.
class segment_writer {
public:
  /// As `event_log_writer::open` says.
  [[nodiscard]] static protocol::result<segment_writer>
  open(const std::filesystem::path& path, const log_options& options,
       const log_visitor& visit);

  /// What was found on opening.
  [[nodiscard]] const log_opening& found() const noexcept {
    return found_;
  }

  /// Closes a filled group with its `log_group` line and writes it, in a new
  /// segment if this one is full. After an error nothing more may be written.
  [[nodiscard]] protocol::result<void> write(log_group& lines);

  /// Whether the next write begins a segment.
  [[nodiscard]] bool is_full() const noexcept {
    return options_.segment_bytes != 0
           && (file_.size() >= options_.segment_bytes || is_old());
  }

  /// Does what the next write would do before it writes: begins a segment if
  /// this one is full or old, and removes those that are not needed. After an
  /// error nothing more may be written.
  [[nodiscard]] protocol::result<void> trim();

  /// Waits until everything written is on disk, which durability `none` does
  /// not; then records how far the log reaches, if a session has ended.
  [[nodiscard]] protocol::result<void> sync();

  [[nodiscard]] protocol::result<void> close();

  /// The file being written.
  [[nodiscard]] const std::filesystem::path& path() const noexcept {
    return file_.path();
  }

private:
  segment_writer(log_file file, const log_options& options);

  [[nodiscard]] protocol::result<void> resume(const segment_files& files,
                                              const log_visitor& visit);
  [[nodiscard]] protocol::result<void> go_on_behind(const segment_files& found,
                                                    const log_visitor& visit);
  /// Whether the log, whose groups end at `end` of its newest segment, has all
  /// that was acknowledged; asked before anything is changed.
  [[nodiscard]] protocol::result<void> approve(const segment_files& files,
                                               std::uint64_t end);
  [[nodiscard]] protocol::result<void> begin_segment();
  [[nodiscard]] protocol::result<void> next_segment();
  [[nodiscard]] protocol::result<void> remove_unneeded();
  void closed_one(std::uint64_t bytes, std::uint32_t last_crc,
                  protocol::timestamp_ms written_at);
  [[nodiscard]] bool is_old() const;
  [[nodiscard]] bool is_end(std::string_view line) const;
  void note(std::string_view lines);
  [[nodiscard]] protocol::result<void> write_group(log_group& lines);
  void reserve_for(std::size_t bytes);
  [[nodiscard]] bool syncs() const noexcept {
    return options_.durability != protocol::durability::none;
  }

  log_options options_;
  storage* files_;
  std::unique_ptr<storage_lock> lock_;
  log_file file_;
  std::uint32_t segment_ = 1;
  std::uint32_t previous_crc_ = 0;                    // in this segment
  std::optional<std::uint32_t> previous_segment_crc_; // of the one before
  segment_removal removal_;
  ended_file ended_;
  std::string unrecorded_end_; // last event of a session, not in `ended_` yet
  std::optional<retention> retention_; // none: all segments are retained
  /// When the first event of this segment came; none: it has no event, or its
  /// age does not matter.
  std::optional<protocol::timestamp_ms> begun_at_;
  log_opening found_;
};

} // namespace convene::host
