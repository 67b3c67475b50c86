#pragma once

#include <string_view>

namespace convene::session {

/// The type of the resources that are steps of the session's plan; their id is
/// the step's, their value its description and status. The workspace has them
/// from the first time that a participant writes them, as version 1.
inline constexpr std::string_view plan_step_type = "plan_step";

} // namespace convene::session
