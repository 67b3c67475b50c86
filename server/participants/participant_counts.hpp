#pragma once

#include <cstddef>
#include <cstdint>

namespace convene::server {

/// Participants on other nodes, and of other nodes' sessions here.
struct participant_counts {
  std::size_t away = 0;         ///< of sessions here that other nodes have now
  std::uint64_t turns_away = 0; ///< that were answered on other nodes
  std::uint64_t turns_lost = 0; ///< that failed because of the other node
  std::uint64_t refused = 0;    ///< messages that did not prove their turn
  std::size_t here = 0;         ///< of other nodes' sessions
  std::uint64_t turns_here = 0; ///< that were begun for other nodes
};

} // namespace convene::server
