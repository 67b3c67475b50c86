#pragma once

namespace convene::host {

/// What a test build can omit from the log, to prove that the tests notice.
enum class log_mutant {
  none,
  sync,                 ///< groups are not synced
  sync_order,           ///< groups are acknowledged before they are synced
  acknowledgement_wait, ///< nobody waits for an acknowledgement
  checksum_check,       ///< a group's crc is not checked
  sync_after_cut,       ///< a truncated tail may come back
  last_group_again,     ///< a failed sync is treated as successful
  names_sync,           ///< names of new files are not synced
  chain_of_segments,    ///< a segment need not follow the one before
  removal_sync,         ///< segments are removed before that is on disk
  needed_segments,      ///< segments are removed though a session needs them
};

#ifdef CONVENE_MUTANTS

/// What is omitted. Set once, before anything runs.
inline log_mutant active_log_mutant = log_mutant::none;

[[nodiscard]] inline bool off(log_mutant which) noexcept {
  return active_log_mutant == which;
}

#else

[[nodiscard]] constexpr bool off(log_mutant) noexcept {
  return false;
}

#endif

} // namespace convene::host
