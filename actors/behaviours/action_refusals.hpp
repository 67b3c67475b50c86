#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/action.hpp>

#include <string_view>

namespace convene::actors {

/// What comes of an action that may not begin, by the code of why.
[[nodiscard]] protocol::action_result refused_by(std::string_view code);

/// What comes of one whose arguments or output cannot be kept beside the log.
[[nodiscard]] protocol::action_result not_kept(const protocol::error& why);

} // namespace convene::actors
