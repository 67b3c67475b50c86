#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <convene/protocol/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Arguments and outputs of actions that are too large for an event: the log has
// a reference, and the value is a file beside the log, its name the SHA-256 of
// its content.

namespace convene::protocol {

namespace json = boost::json;

/// A value whose JSON text is in a file of its own.
struct blob {
  std::string sha256; ///< of the text: 64 lower-case hex digits
  std::uint64_t bytes = 0;

  auto operator<=>(const blob&) const = default;
};

/// What is larger than this, about, is kept as a blob.
inline constexpr std::size_t blob_bytes_min = std::size_t{64} << 10;
/// The largest blob.
inline constexpr std::size_t blob_bytes_max = std::size_t{64} << 20;

/// Whether a text is the name of a blob: 64 lower-case hex digits.
[[nodiscard]] bool is_blob_name(std::string_view text) noexcept;

/// A reference, {"blob": "<sha256>", "bytes": N}.
[[nodiscard]] json::object encode(const blob& from);

/// The blob that an event's arguments or output refer to, if they do. Every
/// value of this form is a reference: whoever writes events keeps as a blob
/// what only looks like one.
[[nodiscard]] std::optional<blob> blob_in(const json::value& from);

/// The blobs that an event refers to: its action's arguments or output.
[[nodiscard]] std::vector<blob> blobs_of_event(const json::object& event);

/// The same of a line of a log; reads it only if it may refer to any.
[[nodiscard]] std::vector<blob> blobs_of_line(std::string_view line);

/// The text of a blob. Refused, with the rule `action_bytes_max`,
/// `action_depth_max` or `action_output_invalid`: it would be larger than
/// `blob_bytes_max`, nests deeper than `depth_max`, or JSON cannot say it.
[[nodiscard]] result<std::string> blob_text(const json::value& from,
                                            std::size_t depth_max);

/// The value that a blob's text says; rule `blob_corrupt` if it says none.
[[nodiscard]] result<json::value> read_blob_text(std::string_view text);

} // namespace convene::protocol
