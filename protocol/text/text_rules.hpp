#pragma once

#include <string_view>

namespace convene::protocol {

/// JSON Schema's `date-time` as the official validator of the protocol reads
/// it: looser than `parse_timestamp`, even the zone may be missing.
[[nodiscard]] bool is_date_time(std::string_view text) noexcept;

/// Dotted lower-case words, each a letter and then letters and digits.
[[nodiscard]] bool is_event_type(std::string_view text) noexcept;

/// Three numbers: `1.0.0`.
[[nodiscard]] bool is_version(std::string_view text) noexcept;

/// Semantic versioning 2.0: `1.2.3-beta.1+build.5`.
[[nodiscard]] bool is_semantic_version(std::string_view text) noexcept;

/// One of the eleven duties that `meta.cross_cutting` may name.
[[nodiscard]] bool is_cross_cutting(std::string_view text) noexcept;

} // namespace convene::protocol
