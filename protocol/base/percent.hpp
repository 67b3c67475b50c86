#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace convene::protocol {

/// Text as a segment of a URL's path or a value in its query: all but the
/// unreserved characters of RFC 3986 as %XX. `marks` are the plain characters
/// beside letters and digits, `digits` the sixteen to write with.
[[nodiscard]] std::string
percent_encoded(std::string_view text, std::string_view marks = "-_.~",
                std::string_view digits = "0123456789ABCDEF");

/// Whether a % and two hexadecimal digits stand there.
[[nodiscard]] bool is_percent_escape(std::string_view text,
                                     std::size_t at) noexcept;

/// Whether each % begins an escape.
[[nodiscard]] bool has_whole_escapes(std::string_view text) noexcept;

/// Replaces each escape by its byte; a % without two digits stays.
[[nodiscard]] std::string percent_decoded(std::string_view text);

} // namespace convene::protocol
