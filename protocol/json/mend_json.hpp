#pragma once

#include <convene/protocol/json/json_text.hpp>

#include <string>
#include <string_view>

namespace convene::protocol {

/// `text`, written by a program that is less strict than RFC 8259, with what
/// others accept made valid: bytes that are not UTF-8 and halves of surrogate
/// pairs become U+FFFD, control characters in strings are escaped, NaN and
/// numbers beyond a double become null, integers beyond 64 bits a double. All
/// else stays as it is. Linear in the size of the text.
[[nodiscard]] std::string mend_json(std::string_view text);

/// As `parse_json`; a text that it refuses is read once more after `mend_json`.
/// The error is that of the mended text.
[[nodiscard]] result<json::value>
parse_mended_json(std::string_view text, const json_limits& limits = {});

} // namespace convene::protocol
