#pragma once

#include <boost/json/value.hpp>

#include <optional>

namespace convene::session {

namespace json = boost::json;

/// Applies a JSON Merge Patch (RFC 7396). Patches nest no deeper than
/// `value_depth_max`.
[[nodiscard]] json::value merge_patch(json::value to, const json::value& patch);

/// Joins two changes of one value, if they touch different members: `ours` with
/// the other changes of `theirs`. Objects are compared member by member,
/// everything else as a whole; the same change made twice is one change.
/// Nothing if both changed the same place differently.
[[nodiscard]] std::optional<json::value> join(const json::value& base,
                                              const json::value& ours,
                                              const json::value& theirs);

} // namespace convene::session
