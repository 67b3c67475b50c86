#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/json/pointer.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace convene::protocol {

namespace json = boost::json;

/// The limits of a JSON text. Beyond them: errc::limit_reached, with rule
/// `depth`, `size` or `string_size`.
struct json_limits {
  std::size_t depth = 128;              ///< nested containers; at most 1,000
  std::size_t bytes = 64U << 20;        ///< of the whole text
  std::size_t string_bytes = 16U << 20; ///< of one string or key, decoded
};

/// Reads one JSON text (RFC 8259), with or without a byte order mark. Keeps the
/// order of members. Refuses, with line and column, what JSON parsers disagree
/// on: rule `duplicate_key` (with its pointer), `number_range` (no int64,
/// uint64 or finite double), `utf8`; and `empty` and `syntax`.
[[nodiscard]] result<json::value> parse_json(std::string_view text,
                                             const json_limits& limits = {});

/// Like `parse_json`, for files written by people: `//` and `/* */` comments
/// and trailing commas are allowed.
[[nodiscard]] result<json::value>
parse_relaxed_json(std::string_view text, const json_limits& limits = {});

/// Indented by two spaces, members in their order, with a final newline.
[[nodiscard]] std::string pretty(const json::value& what);

/// At most 60 bytes of valid UTF-8 by which a person can recognise the value,
/// for `error::value`. Never traverses the whole value.
[[nodiscard]] std::string shorten_value(const json::value& what);
[[nodiscard]] std::string shorten(std::string_view text);

[[nodiscard]] bool valid_utf8(std::string_view text) noexcept;

/// The offset of the first byte that is not valid UTF-8, or npos.
[[nodiscard]] std::size_t find_invalid_utf8(std::string_view text) noexcept;

/// `text` with each invalid sequence replaced by U+FFFD.
[[nodiscard]] std::string sanitize_utf8(std::string text);

/// The first `bytes` bytes of `sanitize_utf8(text)`, less a character that they
/// would split. Reads no more of the text than that.
[[nodiscard]] std::string sanitize_beginning(std::string_view text,
                                             std::size_t bytes);

} // namespace convene::protocol
