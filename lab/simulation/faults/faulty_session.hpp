#pragma once

#include <convene/lab/simulation/faults/given_answers.hpp>
#include <convene/lab/simulation/faults/reached_states.hpp>
#include <convene/lab/simulation/faults/seed_faults.hpp>
#include <convene/runtime/runtime.hpp>
#include <convene/session/spec/spec.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace convene::host {

/// What became of a session under faults.
struct faulty_run {
  /// Errors, besides those of a session: `session_stuck` if nothing is left
  /// that could end it, `seed_faults_max`, and when its log is opened again
  /// those of `faulty_log` and `replay_diverged`.
  result<session_result> ended;
  std::string text;               ///< its events, as complete lines
  std::string file;               ///< the log as it is on the disk
  std::vector<fault_turn> script; ///< the faults that struck
  std::array<std::uint32_t, fault_kinds> counts = {};
  states_reached reached; ///< those that the log does not show
  given_answers given;    ///< by the participants
};

/// Asked before events are appended, with how many bytes all of them would
/// have: an error ends the run.
using log_permission = std::function<result<void>(std::size_t bytes)>;

/// Runs one session in virtual time, on the calling thread alone, as a runtime
/// with these options would, in as many processes as its faults leave: each
/// goes on from the log of the one before.
[[nodiscard]] faulty_run
run_with_faults(const session::spec& what, const runtime_options& how,
                const fault_spec& faults, const log_permission& may_log);

} // namespace convene::host
