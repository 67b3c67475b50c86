#pragma once

#include <convene/session/replay/replayer.hpp>
#include <convene/session/routing/policy.hpp>

#include <optional>
#include <string>
#include <vector>

namespace convene::test {

/// The laws of a whole session's log that `lines` break, a sentence each:
/// one start and one end, every turn completed exactly once, every receiver of
/// a broadcast accounted for, and so on. `one_token`: at most one open turn.
std::vector<std::string> broken_laws(const std::vector<std::string>& lines,
                                     bool one_token);

/// The first line that replaying does not make again, if there is one.
std::optional<session::divergence> replay(const std::vector<std::string>& lines,
                                          session::policy_finder find);

} // namespace convene::test
