#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace convene::protocol {

/// Whole milliseconds since 1970-01-01T00:00:00Z. The only time the lower
/// layers know; every input carries it.
using timestamp_ms = std::int64_t;

/// Years 1970 to 9999, the range of the text form.
inline constexpr timestamp_ms timestamp_max = 253402300799999;

/// `YYYY-MM-DDThh:mm:ss.mmmZ`. Times outside 1970 to 9999 are clamped.
[[nodiscard]] std::array<char, 24> to_chars(timestamp_ms time) noexcept;
[[nodiscard]] std::string format_timestamp(timestamp_ms time);

/// Reads an RFC 3339 date-time with a zone (`Z` or an offset, either case of
/// `t` and `z`); fractions beyond milliseconds are truncated. Refuses dates
/// that do not exist; a leap second (`:60`, only at 23:59 UTC) counts as the
/// second after it.
[[nodiscard]] std::optional<timestamp_ms>
parse_timestamp(std::string_view text) noexcept;

} // namespace convene::protocol
