#pragma once

#include <convene/session/routing/policy.hpp>

#include <span>
#include <string_view>

namespace convene::modes {

/// All routing policies, one for each source file in this folder, sorted by
/// name.
[[nodiscard]] std::span<const session::routing_policy* const>
catalog() noexcept;

/// The policy called `name`, or null.
[[nodiscard]] const session::routing_policy*
find(std::string_view name) noexcept;

} // namespace convene::modes
