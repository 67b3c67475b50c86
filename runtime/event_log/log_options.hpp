#pragma once

#include <convene/protocol/base/durability.hpp>
#include <convene/runtime/event_log/storage.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace convene::host {

/// What a writer does with a log that is there already.
enum class existing_log : std::uint8_t {
  refuse, ///< unless the file is empty
  append, ///< after its last whole group
};

/// How a log is written.
struct log_options {
  /// A group is written once this much waits. What comes in while another is
  /// being written joins the next, which then can be larger: up to the second
  /// figure, unless what was appended at once is longer.
  std::size_t group_bytes = std::size_t{256} << 10;
  std::size_t group_bytes_max = std::size_t{4} << 20;
  /// A group is written at the latest this long after its first line.
  std::chrono::milliseconds group_interval{5};
  /// The most that waits in memory, what is just being written included.
  std::size_t buffer_bytes = std::size_t{64} << 20;
  /// `group` and `strict`, which are the same here: a group is on the disk
  /// before anybody is told of it.
  protocol::durability durability = protocol::durability::none;
  existing_log existing = existing_log::refuse;
  /// 0: the path is that of the one file. Else it is a folder, in which the
  /// segments 000001.jsonl, 000002.jsonl, ... are; one that has this size is
  /// not written on.
  std::uint64_t segment_bytes = 0;
  /// A log in segments that has become larger than this loses the first ones,
  /// as far as nobody needs them: no session of theirs is unfinished, and none
  /// is being written. Looked at whenever a segment is begun. 0: all are kept.
  std::uint64_t keep_bytes = 0;
  /// Null: the operating system's.
  storage* files = nullptr;
};

/// What a writer found when it opened its log.
struct log_opening {
  std::uint64_t events = 0; ///< on the log already
  /// Behind the last whole group: a torn tail, never acknowledged, which has
  /// been cut off.
  std::uint64_t bytes_cut = 0;
  std::uint32_t segment = 1; ///< the one that it goes on with

  bool operator==(const log_opening&) const = default;
};

} // namespace convene::host
