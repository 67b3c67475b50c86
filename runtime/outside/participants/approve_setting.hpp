#pragma once

#include <convene/protocol/codec/object_reader.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

// The setting `approve`: true, or patterns (protocol/base/glob.hpp) of what a
// person approves before it is carried out. For sources in this folder only.

namespace convene::host {

/// Reads it from a behaviour's entry; true is the pattern `*`. `can_match` says
/// whether a pattern may be of anything that the participant calls; one that is
/// not would never be asked about, and is refused as `approve`.
void read_approve(protocol::reading& r, const protocol::json::value& entry,
                  const protocol::place& at,
                  const std::function<bool(std::string_view)>& can_match,
                  std::vector<std::string>& to);

/// Whether a pattern is of this name, for participants that call one thing.
[[nodiscard]] std::function<bool(std::string_view)>
pattern_of(std::string name);

/// Whether a pattern may be of tools that an entry like "files/*" or
/// "files/read_file" means.
[[nodiscard]] bool may_match_tool(std::string_view pattern,
                                  std::string_view tool);

} // namespace convene::host
