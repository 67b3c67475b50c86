#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace convene::session {

/// What a node fails with whose child run failed or was cancelled.
inline constexpr std::string_view child_failed_code = "child_failed";
inline constexpr std::string_view child_cancelled_code = "child_cancelled";

/// How many runs may be above a child run: a run that has as many starts none.
inline constexpr std::int64_t child_depth_max = 5;

} // namespace convene::session
