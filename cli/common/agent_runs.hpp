#pragma once

#include <convene/cli/common/run_sessions.hpp>
#include <convene/protocol/base/error.hpp>

#include <filesystem>

namespace convene::cli {

/// Writes a single agent's run into its folder, once the session that executes
/// its plan has ended: then its result stands in the tally for the session's.
[[nodiscard]] protocol::result<void>
write_agent_run(session_tally& tally, const std::filesystem::path& folder);

} // namespace convene::cli
