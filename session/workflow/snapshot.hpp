#pragma once

#include <convene/session/workflow/run_machine.hpp>

namespace convene::session {

/// A run as OpenWOP shows it (RunSnapshot): what channels have is also in
/// `variables`, under the channel's name, if a node writes to it on purpose
/// (`core.channelWrite`).
[[nodiscard]] boost::json::object snapshot_of(const run_machine& run);

} // namespace convene::session
