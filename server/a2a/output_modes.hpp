#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/error.hpp>

#include <optional>
#include <string_view>

namespace convene::server {

/// Which of the media types that tasks have their client reads. One of them is
/// set.
struct output_modes {
  bool text = true; ///< text/plain
  bool data = true; ///< application/json

  bool operator==(const output_modes&) const = default;
};

/// Reads `acceptedOutputModes` of a request: media types, with or without
/// parameters, in any case, and with `*` for any. Unset: it is null or empty,
/// so that its client names none. Errors have as their rule the code of the
/// answer: `invalid_params`, and `content_type_not_supported` if none of them
/// is one of ours.
[[nodiscard]] protocol::result<std::optional<output_modes>>
read_output_modes(const boost::json::value& from, std::string_view pointer);

/// A word for those that are not all; empty for all.
[[nodiscard]] std::string_view word_of(output_modes modes) noexcept;

/// Back again; an unknown word is one for all.
[[nodiscard]] output_modes output_modes_of(std::string_view word) noexcept;

} // namespace convene::server
