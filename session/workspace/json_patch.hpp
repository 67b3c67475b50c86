#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/error.hpp>

#include <cstddef>

namespace convene::session {

namespace json = boost::json;

/// Bounds of one patch. Work counts values copied or shifted in an array, so
/// that the cost of a patch is bounded.
inline constexpr std::size_t patch_operations_max = 256;
inline constexpr std::size_t patch_work_max = std::size_t{1} << 20;

/// Applies a JSON Patch (RFC 6902): all operations, add, remove, replace, move,
/// copy and test, or none. Errors name the operation by its pointer into the
/// patch and a rule: `patch_syntax`, `pointer_syntax`, `patch_place` (no such
/// place), `patch_test` (it has another value), `patch_operations_max`,
/// `patch_work_max`, and those of `check_fits`.
[[nodiscard]] protocol::result<json::value>
apply_patch(json::value to, const json::value& patch);

} // namespace convene::session
