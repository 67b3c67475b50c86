#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/reply.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// What one request got.
struct recorded_answer {
  std::optional<protocol::reply> reply; ///< unset: none came
  std::int64_t delay_ms = 0;            ///< from the request to the reply
  /// Without a reply: the request timed out. Else it was closed before, such
  /// as with its session, and what the reply would have been is unknown.
  bool silent = false;

  bool operator==(const recorded_answer&) const = default;
};

/// What a participant answered in a session, one entry for each request, in
/// order.
struct recording {
  std::vector<recorded_answer> turns;     ///< broadcasts as well
  std::vector<recorded_answer> decisions; ///< the log has no delay of these
  std::vector<recorded_answer> votes;     ///< nor of these
};

/// By participant id. Who was never asked is absent.
using recordings
  = std::map<std::string, std::shared_ptr<const recording>, std::less<>>;

/// Bytes of answers that are taken from one log.
inline constexpr std::size_t recording_bytes_max = std::size_t{32} << 20;

/// Reads what these participants answered in a session of a log. `session_id`
/// may be empty if the log has one session. Errors: those of `visit_log`, or
/// - `recording_session`: which session is meant is unclear, or it is missing;
/// - `recording_incomplete`: the log no longer has the session's beginning;
/// - `recording_reply`: an answer cannot be read;
/// - `recording_bytes_max`: the answers have more than `bytes_max` bytes.
[[nodiscard]] protocol::result<recordings>
read_recordings(const std::filesystem::path& log, std::string_view session_id,
                const std::set<std::string, std::less<>>& participants,
                std::size_t bytes_max = recording_bytes_max);

} // namespace convene::host
