#pragma once

#include <convene/cli/common/options.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/scenario/outputs.hpp>
#include <convene/runtime/runtime.hpp>

namespace convene::cli {

/// Declares `--snapshot-events` and `--log-keep-bytes`.
void add_log_upkeep(const command_line& command, host::log_upkeep& upkeep);

/// Sets what is set. Refuses to remove segments where there are none, or where
/// time is virtual.
[[nodiscard]] protocol::result<void> apply(const host::log_upkeep& upkeep,
                                           bool in_segments,
                                           convene::runtime_options& runtime);

/// Refuses to remove what documents that are not written would have told.
[[nodiscard]] protocol::result<void>
check_kept(protocol::kept_documents documents,
           const convene::runtime_options& runtime);

} // namespace convene::cli
