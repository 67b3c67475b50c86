#pragma once

#include <convene/cli/common/options.hpp>
#include <convene/cli/sessions/run_sessions.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/project_folder/project_folder.hpp>
#include <convene/runtime/rollback/rollback_files.hpp>
#include <convene/session/single_agent/rollback_book.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace convene::cli {

/// What is wanted of a rollback.
struct rollback_request {
  std::string to; ///< a stage; empty: that of one that is planned, or the start
  std::optional<host::project_folder> files; ///< where to restore them
  std::string unknown; ///< of compensations of unknown outcome: repeat or done
  std::string reason;
};

enum class rollback_end : std::uint8_t {
  executed,
  nothing,  ///< the run stands there already
  failed,   ///< compensations remain, or files could not be restored
  suspended ///< by a signal
};

/// What became of it.
struct rollback_report {
  rollback_end end = rollback_end::nothing;
  session::rollback what;
  std::vector<std::string> without_compensation;
  std::vector<std::string> may_have_happened;
  std::optional<host::restored_files> files;
  std::int64_t node_delta = 0;
  std::int64_t edge_delta = 0;
  std::string hash; ///< of the graph; empty: not executed
  int signal = 0;
};

/// Rolls a single agent's run back, or finishes what was begun. The caller
/// holds the run's session folder. `how` has the settings of the run, and the
/// runtime and the screen of the session that runs the compensations.
[[nodiscard]] protocol::result<rollback_report>
roll_back(const std::filesystem::path& run, const rollback_request& wanted,
          const session_order& how);

/// The report as `--json` has it.
[[nodiscard]] protocol::json::object to_json(const rollback_report& what);

/// Prints the report, unless it is to be quiet.
void print_rollback(const rollback_report& what, const std::string& run,
                    const common_options& common);

[[nodiscard]] int exit_code_of(const rollback_report& what) noexcept;

} // namespace convene::cli
