#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/error.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::session {

namespace json = boost::json;

/// The reference tokens of a JSON pointer (RFC 6901); none: the whole value.
using json_place = std::vector<std::string>;

/// Reads a JSON pointer. Refuses (`pointer_syntax`) one that does not start
/// with `/` or has `~` before anything but 0 and 1, and one of more than
/// `value_depth_max` tokens, deeper than any value that we keep.
[[nodiscard]] protocol::result<json_place> parse_pointer(std::string_view text);

/// The value at a place, or null.
[[nodiscard]] json::value* find(json::value& in, const json_place& at,
                                std::size_t tokens);

/// An array's index as a token writes it: digits, no leading zero. Nothing for
/// any other token, `-` too.
[[nodiscard]] std::optional<std::size_t> array_index(std::string_view token);

} // namespace convene::session
