#pragma once

#include <convene/protocol/base/error.hpp>

#include <string>
#include <string_view>

namespace convene::session {

/// Why a session may not start: code `activation_refused`, the value shortened.
[[nodiscard]] tl::unexpected<protocol::error>
refuse_start(std::string rule, std::string pointer, std::string message,
             std::string_view value = {});

} // namespace convene::session
