#pragma once

#include <convene/protocol/documents/collab.hpp>

#include <string>
#include <string_view>

namespace convene::cli {

/// The text of a scenario to begin with: a session of this mode that runs as it
/// is and reaches nothing outside, with comments that say what to change.
[[nodiscard]] std::string scenario_scaffold(protocol::mode mode,
                                            std::string_view title);

} // namespace convene::cli
