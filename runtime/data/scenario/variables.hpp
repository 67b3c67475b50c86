#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/common.hpp>

#include <cstddef>

namespace convene::host {

inline constexpr std::size_t variables_max = 1000;
/// Of a variable's value, and of all that replaces references in a scenario.
inline constexpr std::size_t variable_bytes_max = std::size_t{64} << 10;
inline constexpr std::size_t replaced_bytes_max = std::size_t{16} << 20;

/// Replaces `${NAME}` in every string of the scenario by its member `variables`
/// and removes that member; `$${` becomes `${`. A string that is only a
/// reference becomes the variable's value, a number for example; in other
/// strings a value stands as text. Values are not replaced again, and the
/// environment is never read. A scenario without `variables` stays as it is,
/// except that settings which name a model or an address may have no reference.
/// Rules: variables, variable_unknown, variables_max, variable_bytes_max,
/// replaced_bytes_max.
[[nodiscard]] protocol::result<void>
replace_variables(protocol::json::object& scenario);

} // namespace convene::host
