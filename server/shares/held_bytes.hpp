#pragma once

#include <cstddef>
#include <string_view>

namespace convene::server {

/// About how much memory what a line of JSON says takes while it is in use: its
/// text, and something for each of its values, which can be as short as `0,`.
[[nodiscard]] std::size_t held_bytes(std::string_view lines) noexcept;

} // namespace convene::server
