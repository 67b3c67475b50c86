#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/cluster/cluster_database.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::host {

/// What one append may hold.
inline constexpr std::size_t append_lines_max = 500'000;
inline constexpr std::size_t append_bytes_max = 64U << 20;

/// Events to append to one session, adjacent, under the epoch of its owner.
struct fenced_events {
  std::string_view session_id; ///< a UUID
  std::int64_t epoch = 0;
  std::int64_t place = 1; ///< of the first one; the log's first event has 1
  std::vector<std::string_view> lines;
};

enum class append_end : std::uint8_t {
  kept,   ///< all of them are on the log
  fenced, ///< the session has another owner; no event was appended
};

/// A place of a session's log.
struct fenced_line {
  std::int64_t epoch = 0;
  std::string line;

  friend bool operator==(const fenced_line&, const fenced_line&) = default;
};

/// The events of sessions, in the database of a cluster; for one thread at a
/// time. An append counts only with the epoch of the session's owner: this, and
/// no lease, keeps a former owner from appending
/// (docs/decisions/0039-ownership-by-epochs.md).
class fenced_log {
public:
  explicit fenced_log(cluster_database in) : database_{std::move(in)} {}

  /// Appends to several sessions in one statement; each session occurs once.
  /// Returns how it ended for each, or `limit_reached` for more than
  /// `append_lines_max` or `append_bytes_max`. After errors that are not of
  /// these events (`is_waited_for`) it tries again, until `until` or a stop
  /// is requested; then it returns the error, and any of these events may be on
  /// the log, or get there for a moment yet. Nothing may be appended to these
  /// sessions then, except by the same call. `tell` gets the error of each try.
  [[nodiscard]] protocol::result<std::vector<append_end>>
  append(std::span<const fenced_events> groups,
         std::chrono::steady_clock::time_point until,
         const std::stop_token& stop = {},
         const std::function<void(const protocol::error&)>& tell = {});

  /// At most `most` events of a session, from a place on.
  [[nodiscard]] protocol::result<std::vector<fenced_line>>
  read(std::string_view session_id, std::int64_t from, std::size_t most);

  [[nodiscard]] cluster_database& database() noexcept {
    return database_;
  }

private:
  cluster_database database_;
};

} // namespace convene::host
