#pragma once

#include <convene/integrations/event_stream/stream_message.hpp>
#include <convene/protocol/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convene::host {

/// What a stream is like.
struct stream_facts {
  std::string server; ///< an id of this run of the server
  std::string stream; ///< its name, and what tells it from earlier ones
  std::size_t body_bytes_max = 0;
  std::string warning; ///< why repeats may stay; empty: they do not
};

/// What became of a message.
struct stream_answer {
  std::string session_id;
  std::uint64_t place = 0;
  bool is_duplicate = false;          ///< the stream had it
  std::optional<std::string> refused; ///< why it does not; unset: it has
};

/// A connection to a stream; for one thread. No call takes longer than a few
/// seconds, even if the server is hostile. Errors: the connection is lost, and
/// `connect` makes another one.
class stream_link {
public:
  stream_link() = default;
  stream_link(const stream_link&) = delete;
  stream_link& operator=(const stream_link&) = delete;
  virtual ~stream_link() = default;

  /// Creates the stream if it is not there.
  [[nodiscard]] virtual protocol::result<stream_facts> connect() = 0;
  [[nodiscard]] virtual protocol::result<void> send(const stream_message& what)
    = 0;
  /// Those that have come since the last call.
  [[nodiscard]] virtual protocol::result<std::vector<stream_answer>> answers()
    = 0;
  virtual void close() = 0;
};

} // namespace convene::host
