#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/audit/log_verdict.hpp>

#include <string>

namespace convene::host {

/// Checks the log of sessions, its blobs, and the documents beside it. Fails
/// if it cannot be read.
[[nodiscard]] protocol::result<log_verdict> check_log(const std::string& log,
                                                      bool allow_unfinished);

} // namespace convene::host
