#pragma once

#include <convene/protocol/codec/object_reader.hpp>
#include <convene/protocol/invariants/invariant.hpp>

#include <functional>
#include <span>
#include <string_view>

namespace convene::protocol {

/// Reads `a.b`, `a[0].b` or `a[*].b`. Empty: that is no path.
[[nodiscard]] value_path parse_path(std::string_view text);

/// Is shown a value, or null where the path leads nowhere, and its place.
using value_visitor = std::function<void(const json::value*, const place&)>;

/// Follows the path from `from`, which is at `at`: once for each element where
/// it says `[*]`.
void visit_path(std::span<const path_step> path, const json::value& from,
                const place& at, const value_visitor& visit);

/// The first value that the path leads to, or null.
[[nodiscard]] const json::value* find_value(const value_path& path,
                                            const json::value& from);

/// The place as rules write it, `steps[3].step_id`.
[[nodiscard]] std::string to_path(const place& at);

} // namespace convene::protocol
