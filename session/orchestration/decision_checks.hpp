#pragma once

#include <utility>

namespace convene::session::checks {

/// Whether a decision has handed off already; from now on it has.
[[nodiscard]] inline bool hands_off_again(bool& has_handed_off) noexcept {
  return std::exchange(has_handed_off, true);
}

} // namespace convene::session::checks
