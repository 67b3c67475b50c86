#pragma once

#include <convene/cli/common/options.hpp>
#include <convene/cli/sessions/learning_output.hpp>
#include <convene/cli/sessions/outside_arguments.hpp>
#include <convene/cli/sessions/run_sessions.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/scenario/outputs.hpp>

#include <string>

namespace convene::cli {

/// An order to run sessions as a run's settings say, with what the options let
/// them reach outside, and shown as the options say. Starts nothing. It has no
/// scenario, store or learning samples yet; under virtual time its seed is 0.
[[nodiscard]] protocol::result<session_order>
make_order(host::run_settings settings, const outside_arguments& outside,
           const common_options& common);

/// Sets how the log is kept, which is in segments or one file. Refuses what
/// would leave nothing of a session, or nothing to store.
[[nodiscard]] protocol::result<void>
place_upkeep(session_order& order, const host::log_upkeep& upkeep,
             bool in_segments, const std::string& store);

/// Keeps sandboxed programs away from what `open_outputs` opens.
void guard_outputs(session_order& order, const std::string& store,
                   const learning_arguments& learning);

/// Opens what sessions write to besides their folder: the store that `--store`
/// names, and the file of `--learn`.
[[nodiscard]] protocol::result<void>
open_outputs(session_order& order, const std::string& store,
             const learning_arguments& learning);

} // namespace convene::cli
