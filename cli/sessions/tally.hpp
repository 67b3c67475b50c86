#pragma once

#include <convene/cli/common/options.hpp>
#include <convene/cli/sessions/run_sessions.hpp>
#include <convene/runtime/data/scenario/scenario.hpp>

#include <string>
#include <vector>

namespace convene::cli {

/// Tells what became of the sessions of a folder, as the options want it.
/// Returns the exit code. `notes` are for the JSON form.
[[nodiscard]] int tell(const session_tally& tally, const std::string& folder,
                       std::uint32_t instances,
                       const std::vector<host::source_note>& notes,
                       const common_options& common);

} // namespace convene::cli
