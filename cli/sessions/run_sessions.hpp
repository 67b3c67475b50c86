#pragma once

#include <convene/cli/common/session_store.hpp>
#include <convene/cli/sessions/learning_output.hpp>
#include <convene/cli/sessions/session_totals.hpp>
#include <convene/cli/view/session_screen.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/scenario/outputs.hpp>
#include <convene/runtime/runtime.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
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
  host::run_settings settings;
  /// Its log and its folder for work are those of the sessions' folder.
  convene::runtime_options runtime;
  /// Whether ends of sessions that were told and are not on the log are given
  /// up.
  bool accept_loss = false;
  std::shared_ptr<session_store> store;      ///< may be null
  std::shared_ptr<learning_output> learning; ///< may be null
  std::shared_ptr<session_screen> screen;    ///< of a single session, or null
  bool show_progress = false;                ///< of several
  bool fails_on_turns = false; ///< a failed turn makes the run fail
  bool of_agent = false;       ///< a single agent's, in a folder of its run
};

/// Threads that `run_sessions` starts beside those of the runtime.
inline constexpr std::size_t threads_of_run = 1;

/// What became of them.
struct session_tally {
  std::uint32_t completed = 0;
  std::uint32_t cancelled = 0;
  std::uint32_t suspended = 0; ///< by a signal, to be gone on with
  std::uint32_t found = 0;     ///< on the log before, with work left to do
  std::uint64_t bytes_cut = 0; ///< of the log's torn tail
  std::int64_t duration_ms = 0;
  /// Of each that ended its result; of several session_id and status.
  protocol::json::array results;
  session_totals totals;     ///< of those that ended
  bool has_documents = true; ///< whether any are wanted
  /// Sessions that could not start, or had to stop, and why.
  std::vector<std::pair<std::string, protocol::error>> failed;
  std::optional<protocol::error> store_failure; ///< else all is stored
  std::optional<learning_tally> learning;       ///< unset: none were wanted
  /// Turns, answers to broadcasts and writes that failed, if they make the
  /// run fail.
  std::uint64_t fatal_turns = 0;
  int signal = 0; ///< that suspended what still ran; 0: none
};

/// Runs all sessions at the same time and writes what they leave behind: those
/// that the folder's log holds and whose documents are not written, and those
/// that never began.
/// The first SIGINT or SIGTERM suspends what still runs; a second one ends the
/// process. An error is one of the log or the disk; one of the store
/// is in the tally, as the run goes on without it.
[[nodiscard]] protocol::result<session_tally>
run_sessions(const session_order& order, const host::output_folder& out);

} // namespace convene::cli
