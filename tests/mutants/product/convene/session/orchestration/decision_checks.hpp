#pragma once
#pragma GCC system_header // for include_next

#include <convene/session/mutant.hpp>

#include <utility>

#define checks product_checks
#include_next <convene/session/orchestration/decision_checks.hpp>
#undef checks

namespace convene::session::checks {

[[nodiscard]] inline bool hands_off_again(bool& has_handed_off) noexcept {
  return product_checks::hands_off_again(has_handed_off)
         && !off(mutant::one_handoff);
}

} // namespace convene::session::checks
