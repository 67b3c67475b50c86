#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

// For sources in this folder only.

namespace convene::host {

/// What can be told of a message that is not JSON.
struct broken_message {
  std::optional<std::int64_t> id; ///< of the request that it may answer
  bool is_answer = false;         ///< it has a result or an error
};

/// Reads the members of the object that `line` begins with as far as it can.
/// Nothing for a line that begins otherwise, or that is a request.
[[nodiscard]] broken_message look_at_broken(std::string_view line);

} // namespace convene::host
