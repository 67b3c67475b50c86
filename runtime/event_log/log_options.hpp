#pragma once

#include <convene/protocol/base/durability.hpp>
#include <convene/runtime/event_log/storage.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace convene::host {

/// What a writer does with an existing log.
enum class existing_log : std::uint8_t {
  refuse, ///< unless the file is empty
  append, ///< after its last complete group
};

/// How a log is written.
struct log_options {
  /// A group is written once this much is waiting. Lines that arrive while
  /// another group is being written join the next, which can then be larger: up
  /// to `group_bytes_max`, unless a single append is longer.
  std::size_t group_bytes = std::size_t{256} << 10;
  std::size_t group_bytes_max = std::size_t{4} << 20;
  /// A group is written at the latest this long after its first line.
  std::chrono::milliseconds group_interval{5};
  /// The most that waits in memory, including what is being written.
  std::size_t buffer_bytes = std::size_t{64} << 20;
  /// With `group` and `strict`, which are the same here, a group is on disk
  /// before it is acknowledged.
  protocol::durability durability = protocol::durability::none;
  existing_log existing = existing_log::refuse;
  /// 0: the path is that of a single file. Otherwise it is a folder with the
  /// segments 000001.jsonl, 000002.jsonl, ...; one that has reached this size
  /// is closed.
  std::uint64_t segment_bytes = 0;
  /// If a log in segments exceeds this, its first segments are removed as far
  /// as they are not needed: none of their sessions is unfinished, and none of
  /// them is being written. Checked whenever a segment is begun. 0: all are
  /// retained.
  std::uint64_t keep_bytes = 0;
  /// Null: that of the operating system.
  storage* files = nullptr;
};

/// What a writer found when it opened its log.
struct log_opening {
  std::uint64_t events = 0; ///< already on the log
  /// Size of the torn tail after the last complete group, never acknowledged,
  /// which has been cut off.
  std::uint64_t bytes_cut = 0;
  std::uint32_t segment = 1; ///< the one that it appends to

  bool operator==(const log_opening&) const = default;
};

} // namespace convene::host
