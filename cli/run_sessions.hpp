#pragma once

#include <convene/cli/terminal.hpp>
#include <convene/protocol/error.hpp>
#include <convene/runtime/outputs.hpp>
#include <convene/runtime/runtime.hpp>

#include <cstdint>

namespace convene::cli {

/// What `run_sessions` does.
struct session_order {
  session::spec scenario; ///< of the first session; the others get new ids
  std::uint32_t instances = 1;
  convene::runtime_options runtime;
  bool show_timeline = false; ///< of a single session
  bool show_progress = false;
  timeline_style style;
};

/// What became of them.
struct session_tally {
  std::uint32_t completed = 0;
  std::uint32_t cancelled = 0;
  std::uint32_t failed = 0; ///< could not start, or had to stop
  std::int64_t duration_ms = 0;
  protocol::json::array results;              ///< one for each that ended
  std::optional<protocol::error> first_error; ///< of those that failed
  int signal = 0; ///< that cancelled what still ran; 0: none
};

/// Runs all sessions at the same time and writes what they leave behind. The
/// first SIGINT or SIGTERM cancels what still runs; a second one ends the
/// process. An error is one of the log or the disk.
[[nodiscard]] protocol::result<session_tally>
run_sessions(const session_order& order, const host::output_folder& out,
             protocol::uuid_source& ids);

} // namespace convene::cli
