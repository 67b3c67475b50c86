#pragma once

#include <forgeries/edits.hpp>

#include <string>

namespace convene::tests {

/// Why a log with this edit is as good as the one before: it is the log of
/// another session, whose events are all as they must be. Empty: it is not.
[[nodiscard]] std::string why_equal(const event_log& log, const edit& what);

/// The same for somebody who does not compute the session again, and so cannot
/// know what its modes, conditions and ids make.
[[nodiscard]] std::string why_equal_to_rules(const event_log& log,
                                             const edit& what);

} // namespace convene::tests
