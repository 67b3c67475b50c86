#pragma once

#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/log/event_log/removed_segments.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string_view>

namespace convene::host {

/// Tracks which of a log's segments are needed: the one being written, each
/// with events of a session that has not ended, and all after a needed one, so
/// that there is never a gap. Pure.
class retention {
public:
  explicit retention(const removed_segments& removed);

  /// The next event of the newest segment.
  void saw(std::string_view line);

  /// The newest segment was closed with this many bytes and this crc of its
  /// last group; what comes next belongs to the following one.
  void closed(std::uint64_t bytes, std::uint32_t last_crc);

  /// How far segments can be removed until the rest has at most `keep_bytes`,
  /// or no more can be. If none can, the last one's number is that of the last
  /// removal.
  [[nodiscard]] removed_segments removable(std::uint64_t keep_bytes) const;

  /// These have been removed.
  void removed(const removed_segments& now);

private:
  struct closed_segment {
    std::uint64_t bytes = 0;
    std::uint32_t last_crc = 0;
  };

  removed_segments removed_;
  std::deque<closed_segment> closed_; // the earlier ones, in order
  /// The segments in which the unfinished sessions begin, and how many do.
  std::map<std::uint32_t, std::size_t> needed_;
  std::map<protocol::uuid, std::uint32_t> unfinished_;
};

} // namespace convene::host
