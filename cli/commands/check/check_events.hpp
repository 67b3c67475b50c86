#pragma once

#include <convene/cli/commands/check/log_verdict.hpp>
#include <convene/protocol/base/error.hpp>

#include <string>

namespace convene::cli {

/// Judges a file with events of other programs as `convene validate
/// --invariants` does. A verdict without events: it has none, or a part of a
/// log of convene, of which there would be more to say. Rules `event_array`,
/// for a file that has an array.
[[nodiscard]] protocol::result<log_verdict>
check_events(const std::string& file);

} // namespace convene::cli
