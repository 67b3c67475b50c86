#pragma once

#include <convene/session/routing/policy.hpp>

namespace convene::session {

/// The words of MAPTurnCompleted.status.
inline constexpr std::string_view turn_status_words[]
  = {"completed", "failed", "timed_out", "declined", "cancelled", "handed_off"};

[[nodiscard]] constexpr std::string_view to_word(turn_status status) noexcept {
  return turn_status_words[static_cast<std::size_t>(status)];
}

} // namespace convene::session
