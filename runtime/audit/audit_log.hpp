#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/audit/log_verdict.hpp>

#include <filesystem>
#include <string>

namespace convene::host {

/// Whether the folder is the data folder of a server (`convene serve --data`).
[[nodiscard]] bool is_data_folder(const std::filesystem::path& folder);

/// Whether the log, a file or a folder of segments, is a server's log of
/// workflow runs.
[[nodiscard]] bool is_run_log(const std::filesystem::path& log);

/// Checks a log of sessions, the folder of a run with what it wrote, that of a
/// single agent with its rollbacks and their attempts, or a file with events of
/// other programs. Not what a server keeps. Fails if it cannot be read.
[[nodiscard]] protocol::result<log_verdict> audit_log(const std::string& log,
                                                      bool allow_unfinished);

} // namespace convene::host
