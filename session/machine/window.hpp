#pragma once

#include <cstddef>

namespace convene::session {

/// How much of the dialog a request shows.
inline constexpr std::size_t window_entries = 16;
inline constexpr std::size_t window_bytes = std::size_t{32} * 1024;

} // namespace convene::session
