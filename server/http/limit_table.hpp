#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/server/http/http_limits.hpp>

#include <string>
#include <string_view>

namespace convene::server {

/// Sets the limit that `NAME=NUMBER` names; times are in milliseconds and their
/// names end with `_ms`.
[[nodiscard]] protocol::result<void> set_limit(http_limits& limits,
                                               std::string_view text);

/// All names with their values, in lines of `NAME=NUMBER`.
[[nodiscard]] std::string limit_lines(const http_limits& limits);

} // namespace convene::server
