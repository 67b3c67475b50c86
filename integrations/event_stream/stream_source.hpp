#pragma once

#include <convene/protocol/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace convene::host {

/// How much of a session a stream has.
struct stream_cursor {
  std::string session_id;
  std::uint64_t acked = 0;   ///< its first events, as the server answered
  std::uint64_t settled = 0; ///< those that the server has synced since
  std::string server;        ///< the run of the server that acked them
  std::uint64_t length = 0;  ///< events on the session's log
  bool has_ended = false;    ///< the session

  friend bool operator==(const stream_cursor&, const stream_cursor&) = default;
};

/// Some events of a session, by their places.
struct stream_range {
  std::string session_id;
  std::uint64_t first = 1;
  std::uint64_t last = 0;

  friend bool operator==(const stream_range&, const stream_range&) = default;
};

struct stream_line {
  std::string session_id;
  std::uint64_t place = 0;
  std::string line;
};

/// Where events come from, and where cursors are kept; for one thread at a
/// time. Only durable events are seen. After an error a call may be repeated.
class stream_source {
public:
  stream_source() = default;
  stream_source(const stream_source&) = delete;
  stream_source& operator=(const stream_source&) = delete;
  virtual ~stream_source() = default;

  /// A text that differs once sessions may need another publisher.
  [[nodiscard]] virtual protocol::result<std::string> members() = 0;
  /// The cursors of these sessions, also of those that the stream has nothing
  /// of.
  [[nodiscard]] virtual protocol::result<std::vector<stream_cursor>>
  cursors(const std::string& stream, const std::vector<std::string>& ids) = 0;
  /// Sessions that this node is to publish and that the stream may lack events
  /// of, in the order of their ids, `after` one.
  [[nodiscard]] virtual protocol::result<std::vector<stream_cursor>>
  unfinished(const std::string& stream, const std::string& after,
             std::size_t most)
    = 0;
  [[nodiscard]] virtual protocol::result<std::vector<stream_line>>
  read(std::span<const stream_range> which) = 0;
  [[nodiscard]] virtual protocol::result<void>
  save(const std::string& stream, std::span<const stream_cursor> which) = 0;
};

} // namespace convene::host
