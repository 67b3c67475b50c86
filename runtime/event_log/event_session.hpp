#pragma once

#include <convene/protocol/base/uuid.hpp>

#include <optional>
#include <string_view>

namespace convene::host {

/// The session that the event of a log line is about; none where it names
/// none. Looks at the beginning of the line alone if it is written as this
/// program writes events.
[[nodiscard]] std::optional<protocol::uuid> session_of(std::string_view line);

/// Whether the event is of this type; it is parsed only if it may be.
[[nodiscard]] bool is_of_type(std::string_view line, std::string_view type);

} // namespace convene::host
