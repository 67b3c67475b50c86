#pragma once

#include <chrono>
#include <cstddef>

namespace convene::server {

/// What one server takes at most. Whoever reaches a bound is told its name.
struct http_limits {
  std::size_t request_line_bytes_max = 8 << 10;
  std::size_t header_bytes_max = 32 << 10; ///< of all headers, with that line
  std::size_t headers_max = 100;
  std::size_t body_bytes_max = 8 << 20;
  std::size_t bodies_bytes_max = 256 << 20; ///< of all requests being read
  std::size_t connections_max = 4096;
  /// From one address, of IPv6 its network.
  std::size_t address_connections_max = 2048;
  /// On which one key was used last.
  std::size_t key_connections_max = 1024;
  std::size_t streams_max = 3072;
  /// Of one key, or of one address without a key; 0: any number. Twice as many
  /// may come at once.
  unsigned requests_per_second = 0;
  /// From the first byte of a request to its last, and for a TLS handshake.
  std::chrono::milliseconds request_time{30'000};
  /// How long a connection without a request stays open.
  std::chrono::milliseconds idle_time{60'000};
  /// A reader that takes nothing for so long is cut off.
  std::chrono::milliseconds stall_time{30'000};
  /// How often a stream of events that has nothing to say shows that it lives.
  std::chrono::milliseconds keepalive_time{15'000};
  std::size_t stream_part_bytes = 64 << 10; ///< asked of a stream at a time
  /// One answer that is not a stream.
  std::size_t answer_bytes_max = 64 << 20;
  /// Answers and parts of streams that are in memory until they are taken: of
  /// one key, or of one address without a key, and of all.
  std::size_t key_answers_bytes_max = 64 << 20;
  std::size_t answers_bytes_max = 256 << 20;
  /// A reader that takes less, on average over an answer or a part of a stream
  /// and `stall_time`, is cut off; 0: it may be as slow as it likes.
  std::size_t bytes_per_second_min = 4 << 10;
  /// What goes on: of one key, and the bytes of all. Not HTTP's business, but
  /// set in the same way.
  std::size_t key_sessions_max = 10'000;
  std::size_t key_sessions_bytes_max = 256 << 20;
  std::size_t sessions_bytes_max = std::size_t{4} << 30;
  std::size_t key_runs_max = 5'000;
  std::size_t key_runs_bytes_max = 256 << 20;
};

} // namespace convene::server
