#pragma once

#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/documents/common.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// Selects events of a log. Empty members do not restrict; of several words,
/// any one suffices.
struct event_filter {
  std::optional<protocol::uuid> session;
  std::vector<std::string> types;             ///< event_type, exact
  std::vector<std::string> families;          ///< event_family, exact
  std::vector<std::string> participants;      ///< that the payload names
  std::optional<protocol::timestamp_ms> from; ///< this time or later
  std::optional<protocol::timestamp_ms> to;   ///< this time or earlier
  std::optional<std::int64_t> first_turn;     ///< turn_number, at least
  std::optional<std::int64_t> last_turn;      ///< turn_number, at most

  /// Whether the event of this line is selected. A line that is not a JSON
  /// object is selected only by an empty filter.
  [[nodiscard]] bool matches(std::string_view line) const;

  /// The same for an event that is read already, but for `session`.
  [[nodiscard]] bool matches(const protocol::json::object& event) const;
};

} // namespace convene::host
