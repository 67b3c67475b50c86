#pragma once

#include <convene/cli/view/terminal.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/runtime.hpp>
#include <convene/runtime/scenario/outputs.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace convene::cli {

/// What `run_sessions` does.
struct session_order {
  /// Of the first session; the others get ids that follow from its own. Unset:
  /// none is started, only those on the log are gone on with.
  std::optional<session::spec> scenario;
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
  std::uint32_t suspended = 0; ///< by a signal, to be gone on with
  std::uint32_t found = 0;     ///< on the log before, with work left to do
  std::uint64_t bytes_cut = 0; ///< of the log's torn tail
  std::int64_t duration_ms = 0;
  protocol::json::array results; ///< one for each that ended
  /// Sessions that could not start, or had to stop, and why.
  std::vector<std::pair<std::string, protocol::error>> failed;
  int signal = 0; ///< that suspended what still ran; 0: none
};

/// Runs all sessions at the same time and writes what they leave behind: those
/// that the folder's log holds and whose documents are not written, and those
/// that never began. The first SIGINT or SIGTERM suspends what still runs; a
/// second one ends the process. An error is one of the log or the disk.
[[nodiscard]] protocol::result<session_tally>
run_sessions(const session_order& order, const host::output_folder& out);

} // namespace convene::cli
