#pragma once

#include <convene/protocol/base/uuid.hpp>

#include <optional>
#include <string_view>

namespace convene::host {

/// The session that the event of a log line belongs to, if it names one. Looks
/// only at the beginning of the line if it is written as this program writes
/// events.
[[nodiscard]] std::optional<protocol::uuid> session_of(std::string_view line);

/// The type of the line's event, without parsing it. Nothing: the line is not
/// written as this program writes events, and may be of any type.
[[nodiscard]] std::optional<std::string_view>
type_at_once(std::string_view line);

/// Whether the event is of this type; parses it only if it may be.
[[nodiscard]] bool is_of_type(std::string_view line, std::string_view type);

} // namespace convene::host
