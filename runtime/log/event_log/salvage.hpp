#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/log/event_log/read_limits.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace convene::host {

/// Bytes of a damaged log that are not an intact group. If empty: whole groups,
/// or a whole file, are missing at this place.
struct damaged_range {
  std::string file;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::string why;
};

/// A session with events that are or may be missing.
struct broken_session {
  protocol::uuid session;
  std::uint64_t kept = 0;     ///< events before the first gap; 0: none are
  std::uint64_t left_out = 0; ///< intact ones after a gap
};

/// The result of salvaging a damaged log.
struct salvage_report {
  std::vector<std::string> files;
  std::uint64_t groups = 0; ///< intact ones
  std::uint64_t kept = 0;   ///< events that the new log has
  std::uint64_t left_out = 0;
  std::uint64_t sessions = 0;        ///< that the new log has
  std::vector<damaged_range> damage; ///< the first ones
  std::uint64_t damage_total = 0;
  std::vector<broken_session> broken; ///< the first ones
  std::uint64_t broken_total = 0;
  std::uint64_t unacknowledged_bytes = 0; ///< at the end: not damage

  [[nodiscard]] bool undamaged() const noexcept {
    return damage_total == 0;
  }
};

/// Writes to the new log `out` what is provably intact in `log`, which is not
/// changed: from each group with a valid checksum, the events that follow their
/// session's beginning without a gap. A gap is a place where the chain of
/// checksums does not prove that nothing is missing. So a session is whole, or
/// it ends before the first gap and is named; one whose beginning is lost is
/// omitted. Nothing is ever joined across a gap.
///
/// Errors: `log` cannot be read, or has no intact group (rule `not_a_log`);
/// `out` exists or cannot be written, and may then be a valid partial log.
[[nodiscard]] protocol::result<salvage_report>
salvage_log(const std::filesystem::path& log, const std::filesystem::path& out,
            const read_limits& limits = {});

} // namespace convene::host
