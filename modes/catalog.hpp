#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/session/routing/policy.hpp>

#include <cstddef>
#include <span>
#include <string_view>

namespace convene::modes {

/// How many policies an application can add.
inline constexpr std::size_t own_max = 64;

/// All routing policies: one for each source file in this folder, sorted by
/// name, then those that were added, in their order. Thread-safe.
[[nodiscard]] CONVENE_API std::span<const session::routing_policy* const>
catalog() noexcept;

/// The policy called `name`, or null. Thread-safe.
[[nodiscard]] CONVENE_API const session::routing_policy*
find(std::string_view name) noexcept;

/// Adds a policy of the application, which scenarios name as `session.policy`.
/// It holds for the whole process, since logs are replayed and checked without
/// a runtime, and until its end: `own` must be a constant. `own.decide` must be
/// a pure function: a recovered session calls it again with the same views.
/// Add it before anything opens a log that names it. Thread-safe.
///
/// Rules of errors: the name is not 1 to 64 lower-case letters, digits and _
/// (`policy_name`), or it is taken (`policy_exists`); `decide` is null
/// (`policy_decides`); there are `own_max` already (`policies_max`).
[[nodiscard]] CONVENE_API protocol::result<void>
add(const session::routing_policy& own);

} // namespace convene::modes
