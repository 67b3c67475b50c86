#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/audit/findings.hpp>
#include <convene/runtime/log/recovery/log_replay.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convene::host {

/// The result of recomputing a log.
struct replayed_log {
  std::vector<replayed_session> sessions;
  std::uint64_t events = 0;
  std::uint64_t unacknowledged_bytes = 0;
  std::uint64_t sessions_cut = 0;        ///< began in removed segments
  std::optional<protocol::error> damage; ///< where reading had to stop
  std::vector<placed_finding> findings;  ///< of the folder, the first ones
  std::size_t findings_total = 0;
  std::size_t diverged = 0;
  std::size_t refused = 0; ///< written under other rules
  std::size_t unfinished = 0;

  [[nodiscard]] bool good() const {
    return diverged == 0 && refused == 0 && !damage && findings_total == 0;
  }
};

/// Whether the session was not compared at all.
[[nodiscard]] bool is_refused(const replayed_session& which);

/// Recomputes the sessions of a log, or of the folder of a run, and compares
/// each event. `session` names one of them; empty: all. Fails if the log cannot
/// be read, or has no such session.
[[nodiscard]] protocol::result<replayed_log>
replay_log(const std::string& log, const std::string& session);

[[nodiscard]] protocol::json::object to_json(const std::string& log,
                                             const replayed_log& all);

} // namespace convene::host
