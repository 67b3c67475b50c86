#pragma once

namespace convene::session {

/// Checks that a test build can switch off, to prove that the tests notice.
enum class mutant {
  none,
  token_check,         ///< an answer needs no valid token
  completion_matching, ///< a completion names the latest turn, not its own
  late_reply_check,    ///< an answer counts after its turn has closed
  base_version_check,  ///< a write counts whatever its base version
  claim_check,         ///< a claim keeps nobody from writing
  permission_check,    ///< everybody may write everything
  step_holder_check,   ///< a step's turn keeps nobody from writing the step
  handoff_depth,       ///< any number of handoffs in a row
  one_handoff,         ///< a turn hands off as often as its holder likes
};

/// The check that is off. Set once, before anything runs.
inline mutant active_mutant = mutant::none;

[[nodiscard]] inline bool off(mutant which) noexcept {
  return active_mutant == which;
}

} // namespace convene::session
