#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace convene::host {

/// How long a header `Retry-After` asks to wait, in milliseconds: seconds
/// with or without a fraction, or a date relative to `now_s` (seconds since
/// 1970). At least 0, at most a day.
[[nodiscard]] std::optional<std::int64_t> retry_after_ms(std::string_view value,
                                                         std::int64_t now_s);

/// The same of a header `retry-after-ms`, in milliseconds.
[[nodiscard]] std::optional<std::int64_t>
milliseconds_of(std::string_view value);

} // namespace convene::host
