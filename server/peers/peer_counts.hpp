#pragma once

#include <cstdint>

namespace convene::server {

/// What became of requests for other nodes, since the start.
struct peer_counts {
  std::uint64_t answered = 0;           ///< with any status
  std::uint64_t unreachable = 0;        ///< there was no answer
  std::uint64_t elsewhere = 0;          ///< the node did not have the session
  std::uint64_t cut = 0;                ///< the answer was not whole
  std::uint64_t handshakes_refused = 0; ///< by this node's peer listener
};

} // namespace convene::server
