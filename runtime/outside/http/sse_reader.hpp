#pragma once

#include <convene/protocol/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace convene::host {

/// One event of a stream of server-sent events.
struct sse_event {
  std::string id;   ///< empty: it has none
  std::string type; ///< empty: it has none
  std::string data;
};

/// Reads a stream of server-sent events (WHATWG HTML), cut at any byte: lines
/// end with CR, LF or both. What follows the last empty line is not an event
/// yet, so a stream that ends there loses it.
class sse_reader {
public:
  /// Gets each complete event that has data. False: stop reading.
  using take_event = std::function<bool(const sse_event&)>;

  /// `event_bytes_max`: the most that one event may take, as it is sent.
  explicit sse_reader(std::size_t event_bytes_max)
    : event_bytes_max_{event_bytes_max} {}

  /// Whether `take` accepted all events that these bytes complete. Fails with
  /// `event_bytes_max`. After false or a failure, do not feed it again.
  [[nodiscard]] protocol::result<bool> feed(std::string_view bytes,
                                            const take_event& take);

  /// The id of the last event so far that had one, with data or without: where
  /// a stream that was cut is taken up. Empty: there was none.
  [[nodiscard]] const std::string& last_id() const noexcept {
    return last_id_;
  }

  /// How long to wait before that, as the stream said.
  [[nodiscard]] std::optional<std::int64_t> retry_ms() const noexcept {
    return retry_ms_;
  }

private:
  [[nodiscard]] bool take_line(std::string_view line, const take_event& take);

  std::size_t event_bytes_max_;
  std::string last_id_;
  std::optional<std::int64_t> retry_ms_;
  std::string line_;      ///< the beginning of one
  sse_event event_;       ///< the beginning of one
  std::size_t bytes_ = 0; ///< of the event, without comments and line ends
  bool has_data_ = false;
  bool after_return_ = false; ///< a line feed here belongs to the line before
  bool first_line_ = true;
};

} // namespace convene::host
