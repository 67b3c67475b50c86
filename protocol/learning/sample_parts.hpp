#pragma once

// What the sources of this room share.

#include <convene/protocol/events/learning_samples.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/learning/flow_samples.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace convene::protocol {

/// Adds a member if there is something to say.
inline void add_if(json::object& to, std::string_view name,
                   const std::optional<std::string>& value) {
  if (value)
    to.emplace(name, *value);
}

/// The member as a number of things, if it is one.
inline std::optional<std::int64_t> count_of(const json::object& from,
                                            std::string_view name) {
  const auto found = integer_of(from, name);
  return found && *found >= 0 ? found : std::nullopt;
}

/// `node_delta` or `edge_delta`, within bounds that sums of them bear.
inline std::int64_t delta_of(const json::object& from, std::string_view name) {
  constexpr std::int64_t most = 1'000'000'000;
  return std::clamp(integer_of(from, name).value_or(0), -most, most);
}

/// The first that is not empty.
inline std::string_view first_of(std::string_view one, std::string_view other) {
  return one.empty() ? other : one;
}

/// How far a change reaches that touched so many nodes of so many modules.
inline impact_scope scope_of(std::int64_t nodes, std::size_t modules) {
  if (modules > 1)
    return impact_scope::system;
  return nodes > 1 ? impact_scope::module : impact_scope::local;
}

} // namespace convene::protocol
