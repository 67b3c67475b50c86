#pragma once

#include <boost/json/value.hpp>

#include <memory>
#include <string_view>

namespace convene::host {

/// Members of an event's line. Of a line as a session machine writes it, they
/// are found at its beginning without reading the rest; any other line is read
/// as JSON, so that all readers of a log agree on what it has.
struct line_head {
  std::string_view event_type; ///< empty: missing; so are the others
  std::string_view session_id;
  std::string_view timestamp;
  /// What the members point into, if the line was read as JSON; otherwise null,
  /// and they point into the line.
  std::shared_ptr<const boost::json::value> parsed;
};

/// Of a line that is not a JSON object, the first members of these names that
/// it seems to have, and no event type.
[[nodiscard]] line_head head_of(std::string_view line);

/// The session key that MAPSessionStarted has; empty: none.
[[nodiscard]] std::string_view session_key_of(const line_head& head,
                                              std::string_view line);

} // namespace convene::host
