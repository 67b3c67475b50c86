#pragma once

#include <convene/protocol/base/error.hpp>

#include <string>
#include <string_view>

namespace convene::host {

/// The JSON text of a plain YAML scalar, by the core schema of YAML 1.2: null,
/// true and false in three spellings each, numbers, and strings for all else
/// (`no`, `on`, `1:30`). Errors have no place: rule `number_range` for .inf,
/// .nan and numbers beyond 64 bits in octal or hexadecimal digits, and
/// `number_ambiguous` for `012`, which older versions read in octal digits.
[[nodiscard]] protocol::result<std::string>
json_of_plain(std::string_view text);

/// A JSON string.
[[nodiscard]] std::string json_of_string(std::string_view text);

} // namespace convene::host
