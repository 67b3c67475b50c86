#pragma once

namespace convene::host {

/// What a test build can leave out of the log, to prove that the tests notice.
enum class log_mutant {
  none,
  sync,                 ///< groups are not synced
  sync_order,           ///< groups are acknowledged before they are synced
  acknowledgement_wait, ///< nobody waits for an acknowledgement
  checksum_check,       ///< a group's crc is not looked at
  sync_after_cut,       ///< what is cut off may come back
  last_group_again,     ///< a sync that failed is taken for one that did not
  names_sync,           ///< names of new files are not synced
  chain_of_segments,    ///< a segment need not follow the one before
  removal_sync,         ///< segments are removed before that is on the disk
  needed_segments,      ///< segments are removed though a session needs them
};

#ifdef CONVENE_MUTANTS

/// What is left out. Set once, before anything runs.
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
