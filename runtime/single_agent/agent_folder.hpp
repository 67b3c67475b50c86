#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/runtime/single_agent/agent_run.hpp>

#include <filesystem>
#include <vector>

namespace convene::host {

/// Where, in the folder of a single agent's run, the session is that executes
/// its plan: a folder as `convene run` writes it for several agents.
[[nodiscard]] CONVENE_API std::filesystem::path
session_folder_of(const std::filesystem::path& run);

/// Whether a single agent's run wrote this folder, or began to.
[[nodiscard]] CONVENE_API bool
is_agent_folder(const std::filesystem::path& folder);

/// Makes the run of the session in that folder, which has ended and whose
/// documents are written.
[[nodiscard]] CONVENE_API protocol::result<agent_run>
read_agent_run(const std::filesystem::path& folder);

/// Writes the run beside its session: the documents, events.jsonl and, last,
/// result.json. What was written before is replaced.
[[nodiscard]] CONVENE_API protocol::result<void>
write_agent_run(const std::filesystem::path& folder, const agent_run& run);

/// What in the folder is not as the session's log makes it: the path of each
/// file, and what is wrong with it, by rule `document_matches_log`. Where
/// result.json is missing, nothing has been written.
[[nodiscard]] CONVENE_API std::vector<protocol::error>
differences(const std::filesystem::path& folder, const agent_run& run);

} // namespace convene::host
