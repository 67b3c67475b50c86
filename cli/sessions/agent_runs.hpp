#pragma once

#include <convene/cli/sessions/outside_arguments.hpp>
#include <convene/cli/sessions/run_sessions.hpp>
#include <convene/protocol/base/error.hpp>

#include <filesystem>

namespace convene::cli {

/// Writes a single agent's run into its folder, once the session that executes
/// its plan has ended: then its result stands in the tally for the session's.
/// Puts its documents into the store first, which may be null.
[[nodiscard]] protocol::result<void>
write_agent_run(session_tally& tally, const std::filesystem::path& folder,
                session_store* store);

/// The same, with the run's store. Then rolls the run back to its start if a
/// step has failed and its policy is single_agent_rollback, or finishes that;
/// tells of it, with --json as a member of the run's result. That the rollback
/// cannot be carried out is told there, too, and takes nothing away from the
/// run's result.
[[nodiscard]] protocol::result<void>
finish_agent_run(session_tally& tally, const std::filesystem::path& folder,
                 const session_order& ran, const outside_arguments& outside,
                 const common_options& common);

} // namespace convene::cli
