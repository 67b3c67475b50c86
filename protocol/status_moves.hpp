#pragma once

#include <convene/protocol/plan.hpp>

#include <string_view>

namespace convene::protocol {

/// Whether the lifecycle lets a plan or step go from one status to the other.
[[nodiscard]] bool may_become(plan_status from, plan_status to) noexcept;
[[nodiscard]] bool may_become(step_status from, step_status to) noexcept;

/// The same by words; false for words that are no status. `resource` is "plan"
/// or "step".
[[nodiscard]] bool may_become(std::string_view resource, std::string_view from,
                              std::string_view to) noexcept;

} // namespace convene::protocol
