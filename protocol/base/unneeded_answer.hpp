#pragma once

#include <string_view>

namespace convene::protocol {

/// Whether an answer to a broadcast that ended by this error was not needed any
/// more, so that its participant has not failed.
[[nodiscard]] constexpr bool
is_unneeded_answer(std::string_view error_code) noexcept {
  return error_code == "quorum_reached" || error_code == "session_ended"
         || error_code == "suspended";
}

} // namespace convene::protocol
