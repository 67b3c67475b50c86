#pragma once

#include <convene/runtime/audit/check_agent.hpp>

#include <filesystem>
#include <vector>

namespace convene::host {

/// What is wrong with the rollbacks of a run, which may have none: their events
/// by their schemas, by `session::rollback_book`, and by what run and attempts
/// make them (rules `rollback_event`, `rollback_graph`, `rollback_outcome`);
/// one that was begun and neither failed nor was executed is
/// `rollback_unfinished`.
[[nodiscard]] agent_verdict check_rollback(const std::filesystem::path& run,
                                           bool allow_unfinished);

/// The folders of the attempts at compensations that the run has; what is there
/// may be a link.
[[nodiscard]] std::vector<std::filesystem::path>
attempt_folders(const std::filesystem::path& run);

/// Whether a run was rolled back before it had ended, so that it never ends.
[[nodiscard]] bool rests_rolled_back(const std::filesystem::path& run);

} // namespace convene::host
