#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/audit/log_verdict.hpp>

#include <string>

namespace convene::host {

/// Judges a file with events of other programs as `convene validate
/// --invariants` does. The verdict has no events if the file has none, or has a
/// part of a log of convene, which check_log judges. Rules `event_array`,
/// for a file that has an array.
[[nodiscard]] protocol::result<log_verdict>
check_events(const std::string& file);

} // namespace convene::host
