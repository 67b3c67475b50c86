#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/common.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// One `--set key=value`.
struct scenario_override {
  std::string text;              ///< as the user gave it
  std::vector<std::string> path; ///< the parts of the key between dots
  protocol::json::value value;   ///< parsed as JSON, else a string
  bool only_if_there = false;    ///< `key?=value`

  bool operator==(const scenario_override&) const = default;
};

/// Reads `key=value`, or `key?=value` for a member that is replaced only if it
/// is there. A backslash before a dot, an equals sign, a question mark or a
/// backslash makes it part of a name. Refuses a key that is empty, has an empty
/// part or more than 32 of them.
[[nodiscard]] protocol::result<scenario_override>
parse_override(std::string_view text);

/// Whether the scenario has the member that the path names, through objects.
[[nodiscard]] bool is_there(const scenario_override& what,
                            const protocol::json::object& scenario);

/// Sets the member that the path names, creating missing objects. A number
/// names an item of an array, which must exist. Returns the JSON pointer to the
/// outermost new value: any fault there was caused by the override.
[[nodiscard]] protocol::result<std::string>
apply(const scenario_override& what, protocol::json::object& scenario);

} // namespace convene::host
