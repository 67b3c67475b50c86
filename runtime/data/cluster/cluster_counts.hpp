#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace convene::host {

/// What a node of a cluster has done since its start.
struct cluster_counts {
  std::uint64_t events = 0; ///< of its sessions, appended to the database
  std::uint64_t taken = 0;  ///< sessions taken from nodes that were lost
  std::uint64_t fenced = 0; ///< sessions that other nodes took from it
  std::uint64_t removed_sessions = 0; ///< from the database, as too old
  std::uint64_t removed_events = 0;
  std::uint64_t removed_blobs = 0;
  std::size_t sessions = 0;         ///< that it owns and that have not ended
  std::chrono::milliseconds lag{0}; ///< how long an append has been waiting
};

} // namespace convene::host
