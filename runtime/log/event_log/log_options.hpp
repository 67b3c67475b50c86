#pragma once

#include <convene/protocol/base/durability.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/log/event_log/storage.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

namespace convene::host {

/// What a writer does with an existing log.
enum class existing_log : std::uint8_t {
  refuse, ///< unless the file is empty
  append, ///< after its last complete group
};

/// When a group is closed.
enum class group_end : std::uint8_t {
  time,    ///< by size, time and the speed of the disk
  content, ///< by size and calls of `flush` and `close` alone
};

/// Keeps what belongs to a log and is not in it. Called by the log's writer,
/// one call at a time.
class log_companion {
public:
  log_companion() = default;
  log_companion(const log_companion&) = delete;
  log_companion& operator=(const log_companion&) = delete;
  virtual ~log_companion() = default;

  /// An event that is in this segment, or is about to be.
  virtual void saw(std::uint32_t segment, std::string_view line) = 0;
  /// All that was on the log has been shown, and it is whole.
  virtual void opened() = 0;
  /// The segments up to this one have been removed.
  virtual void removed(std::uint32_t through) = 0;
  /// The beginnings of these sessions were in them. All of these have ended;
  /// called after `removed`.
  virtual void left(const std::vector<protocol::uuid>& /*sessions*/) {}
  /// The first segment that must not be removed yet.
  [[nodiscard]] virtual std::uint32_t needed_from() const {
    return std::numeric_limits<std::uint32_t>::max();
  }
  /// Adds the bytes that are removed along with each segment and are not in it.
  virtual void
  add_bytes(std::map<std::uint32_t, std::uint64_t>& /*by_segment*/) const {}
};

/// How a log is written.
struct log_options {
  /// A group is written once this much is waiting. Lines that arrive while
  /// another group is being written join the next, which can then be larger: up
  /// to `group_bytes_max`, unless a single append is longer.
  std::size_t group_bytes = std::size_t{256} << 10;
  std::size_t group_bytes_max = std::size_t{4} << 20;
  /// A group is written at the latest this long after its first line; with
  /// `group_end::content` it is not.
  std::chrono::milliseconds group_interval{5};
  /// With `content` the same calls give the same file, byte for byte: no group
  /// is larger than `group_bytes`, unless a single append is.
  group_end closes_by = group_end::time;
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
  /// them is being written. Checked whenever a segment is begun, and every
  /// `keep_interval` while nothing is written. 0: all are retained.
  std::uint64_t keep_bytes = 0;
  /// The same for segments that were written to last longer ago. A segment is
  /// closed once its first event is an eighth of this old, whatever its size.
  /// 0: age does not matter.
  std::chrono::milliseconds keep_time{0};
  std::chrono::milliseconds keep_interval{60'000};
  /// Null: that of the operating system.
  storage* files = nullptr;
  std::vector<std::shared_ptr<log_companion>> companions = {}; ///< none null
  /// Asked when an existing log has been read and before anything is changed;
  /// its error refuses the log.
  std::function<protocol::result<void>()> approve = {};
  /// Whether the line ends what it belongs to, so that how far the log reaches
  /// with it is recorded before it is acknowledged. Unset: the line of a
  /// MAPSessionCompleted does.
  std::function<bool(std::string_view line)> is_end = {};
  /// What else is acknowledged with a line and must not be lost; recorded in
  /// the same way. Unset: nothing.
  std::function<bool(std::string_view line)> is_on_record = {};
  /// Opens a log even if it lacks the end of a session that was acknowledged,
  /// and forgets that it was.
  bool accept_loss = false;

  /// Whether segments are removed.
  [[nodiscard]] bool removes() const noexcept {
    return keep_bytes != 0 || keep_time.count() != 0;
  }
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
