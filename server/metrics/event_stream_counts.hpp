#pragma once

#include <chrono>
#include <cstdint>

namespace convene::server {

/// What a node has published to a stream of events, since its start.
struct event_stream_counts {
  std::uint64_t published = 0;      ///< messages sent, repeats included
  std::uint64_t resent = 0;         ///< of these, repeats
  std::uint64_t acked = 0;          ///< answers that the stream has a message
  std::uint64_t duplicates = 0;     ///< of these, messages that it had before
  std::uint64_t refused = 0;        ///< answers that it does not take one
  std::uint64_t shortened = 0;      ///< messages without their event's data
  std::uint64_t waits = 0;          ///< how often the spool was full
  std::uint64_t connects = 0;       ///< connections made
  std::uint64_t failures = 0;       ///< connections lost or not made
  std::uint64_t lag_events = 0;     ///< known and not acked
  std::chrono::milliseconds lag{0}; ///< how long the oldest of them has waited
  bool is_connected = false;
};

} // namespace convene::server
