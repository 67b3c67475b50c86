#pragma once

#include <convene/runtime/audit/check_agent.hpp>

#include <filesystem>

namespace convene::cli {

/// Checks a log of workflow runs (server/runs/run_audit.hpp), by the
/// definitions in the folder `definitions` beside it.
[[nodiscard]] protocol::result<host::agent_verdict>
check_run_log(const std::filesystem::path& log);

/// Checks everything in a data folder except the log of its sessions: the log
/// of runs, the definitions that runs were started from (rule
/// `workflow_digest`), sessions that were created and not started (`draft`),
/// calls that are owed
/// (`callback`), and that the files with secrets can be used by their owner
/// alone (`file_mode`, `token_secret`).
[[nodiscard]] protocol::result<host::agent_verdict>
check_data(const std::filesystem::path& folder);

} // namespace convene::cli
