#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace convene::host {

/// How long a header `Retry-After` asks to wait, in milliseconds: seconds, or
/// a date relative to `now_s` (seconds since 1970). At least 0, at most a day.
[[nodiscard]] std::optional<std::int64_t> retry_after_ms(std::string_view value,
                                                         std::int64_t now_s);

} // namespace convene::host
