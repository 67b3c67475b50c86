#pragma once

#include <convene/protocol/base/error.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace convene::host {

/// One event of a stream of server-sent events.
struct sse_event {
  std::string id; ///< empty: it has none
  std::string type;
  std::string data;
};

/// Reads a stream of server-sent events piece by piece. What follows the last
/// blank line is no event yet, wherever the stream is cut.
class sse_reader {
public:
  /// `event_bytes_max`: the most that one event may take, as it is sent.
  explicit sse_reader(std::size_t event_bytes_max)
    : event_bytes_max_{event_bytes_max} {}

  /// Calls `take` for each event that is complete, until it says false; the
  /// stream is not to be fed any more then. Fails with `event_bytes_max`.
  [[nodiscard]] protocol::result<bool>
  feed(std::string_view bytes,
       const std::function<bool(const sse_event&)>& take);

private:
  [[nodiscard]] bool
  take_line(std::string_view line,
            const std::function<bool(const sse_event&)>& take);

  std::size_t event_bytes_max_;
  std::string line_; ///< that is not complete
  sse_event event_;  ///< likewise
  bool has_data_ = false;
  bool after_return_ = false; ///< a line feed that comes next ends no line
  std::size_t bytes_ = 0;     ///< of the event
};

} // namespace convene::host
