#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace convene::host {

/// A published event.
struct stream_message {
  std::string session_id;
  std::uint64_t place = 0;   ///< in its session, from 1
  std::string subject;       ///< "<stream>.<type of the event>.<session>"
  std::string id;            ///< the event's; the stream removes repeats by it
  std::string body;          ///< a CloudEvent in JSON
  bool is_shortened = false; ///< `dataref` instead of `data`
  bool is_last = false;      ///< the session's last event

  friend bool operator==(const stream_message&, const stream_message&)
    = default;
};

/// The event on a line of a session's log, with the bytes of `convene export
/// --format cloudevents`. A body of more than `body_bytes_max` bytes has
/// `dataref`, the path of the event on a server, instead of its data.
[[nodiscard]] stream_message
message_of(std::string_view stream, std::string_view session_id,
           std::uint64_t place, std::string_view line,
           std::size_t body_bytes_max);

} // namespace convene::host
