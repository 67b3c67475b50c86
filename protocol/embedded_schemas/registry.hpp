#pragma once

#include <convene/protocol/json_schema/compiled_schema.hpp>

#include <string>
#include <string_view>

namespace convene::protocol {

/// The embedded schema with this path, `$id`, name (`mplp-plan`) or short name
/// (`plan`), or a part of it, with `#` and a JSON pointer appended. Compiled on
/// first use and then cached; may be called from several threads. Fails with
/// errc::usage, rule `unknown_schema`, and the nearest names if there is none,
/// or if what has the name is not a schema.
[[nodiscard]] result<compiled_schema> embedded_schema(std::string_view name);

/// ` (did you mean "plan" or "mplp-plan"?)`: names of embedded files close to
/// `written`; or nothing.
[[nodiscard]] std::string suggest_embedded(std::string_view written);

} // namespace convene::protocol
