#pragma once

#include <string_view>

namespace convene::protocol {

/// Whether event_checker keeps nothing of events of this type as JSON: such an
/// event may be in memory that is used again (json_scratch).
[[nodiscard]] constexpr bool is_passing(std::string_view event_type) noexcept {
  return event_type == "MAPTurnDispatched" || event_type == "MAPTurnCompleted"
         || event_type == "MAPBroadcastReceived";
}

} // namespace convene::protocol
