#pragma once

#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/log/event_log/removed_segments.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <string_view>
#include <vector>

namespace convene::host {

/// How much of a log is to be kept.
struct kept_part {
  std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();
  /// Segments that were written to since then.
  protocol::timestamp_ms since
    = std::numeric_limits<protocol::timestamp_ms>::min();
  /// This segment and those after it.
  std::uint32_t from = std::numeric_limits<std::uint32_t>::max();
  /// Bytes beside the log that are removed along with a segment.
  std::map<std::uint32_t, std::uint64_t> beside = {};
};

/// Tracks which of a log's segments are needed: the one being written, each
/// with events of a session that has not ended, and all after a needed one, so
/// that there is never a gap. Pure.
class retention {
public:
  explicit retention(const removed_segments& removed);

  /// The next event of the newest segment, and whether its session ends.
  void saw(std::string_view line, bool ends);

  /// The newest segment was closed with this many bytes and this crc of its
  /// last group, and last written to at this time; what comes next belongs to
  /// the following one.
  void closed(std::uint64_t bytes, std::uint32_t last_crc,
              protocol::timestamp_ms written_at);

  /// How far segments can be removed until the rest is `what`, or no more can
  /// be. If none can, the last one's number is that of the last removal.
  [[nodiscard]] removed_segments removable(const kept_part& what) const;

  /// These have been removed. Returns the sessions that began in them.
  std::vector<protocol::uuid> removed(const removed_segments& now);

private:
  struct closed_segment {
    std::uint64_t bytes = 0;
    std::uint32_t last_crc = 0;
    protocol::timestamp_ms written_at = 0;
  };

  removed_segments removed_;
  std::deque<closed_segment> closed_; // the earlier ones, in order
  /// The segments in which the unfinished sessions begin, and how many do.
  std::map<std::uint32_t, std::size_t> needed_;
  std::map<protocol::uuid, std::uint32_t> unfinished_;
  /// Those that have ended, by the segment in which they began.
  std::map<std::uint32_t, std::vector<protocol::uuid>> ended_;
};

} // namespace convene::host
