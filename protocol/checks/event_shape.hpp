#pragma once

#include <convene/protocol/documents/common.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace convene::protocol {

/// Whether `event` has the members, of the types, that docs/events.md gives
/// its event type: nothing, or the first thing that is wrong, in a sentence.
/// Members that the page does not name are left alone.
[[nodiscard]] std::optional<std::string> check_shape(const json::value& event);

/// Whether docs/events.md names the event type, or the family.
[[nodiscard]] bool is_known_event_type(std::string_view type) noexcept;
[[nodiscard]] bool is_known_event_family(std::string_view family) noexcept;

} // namespace convene::protocol
