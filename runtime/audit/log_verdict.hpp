#pragma once

#include <convene/protocol/json/members.hpp>
#include <convene/runtime/audit/check_agent.hpp>
#include <convene/runtime/audit/findings.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace convene::host {

/// What was found in a log and in what belongs to it.
struct log_verdict {
  std::uint64_t events = 0;
  std::uint64_t foreign = 0; ///< of these, in no log of convene
  std::size_t sessions = 0;
  std::size_t recomputed = 0; ///< sessions
  std::size_t findings_total = 0;
  std::uint64_t unacknowledged_bytes = 0;
  std::uint64_t sessions_cut = 0; ///< began in removed segments
  std::size_t undigested = 0;     ///< sessions with actions without digests
  std::size_t uncompared = 0;     ///< documents' sessions that do not replay
  std::size_t blobs = 0;          ///< that the log names
  std::size_t blobs_unnamed = 0;  ///< that are beside it, and it does not name
  std::size_t runs = 0;           ///< of workflows
  std::size_t runs_judged = 0;
  std::vector<placed_finding> findings; ///< the first ones
};

/// Adds what else was found.
void add(log_verdict& to, const agent_verdict& more);
void add(log_verdict& to, const log_verdict& more);

[[nodiscard]] protocol::json::object to_json(const std::string& log,
                                             const log_verdict& all);

} // namespace convene::host
