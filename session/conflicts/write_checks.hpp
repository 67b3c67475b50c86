#pragma once

#include <convene/session/conflicts/permission.hpp>
#include <convene/session/conflicts/writing.hpp>

#include <cstdint>

// What a write is judged by, one check each.

namespace convene::session::checks {

/// Whether the writer's role may write resources of this type.
[[nodiscard]] inline bool is_permitted(permissions& allowed, const spec& what,
                                       const writing& by,
                                       std::string_view resource_type) {
  return allowed.may_write(what, by.who, resource_type);
}

/// Whether another participant holds the claim.
[[nodiscard]] constexpr bool is_of_another(participant_index holder,
                                           participant_index writer) noexcept {
  return holder != no_participant && holder != writer;
}

/// Whether the turn on a step is the writer's.
[[nodiscard]] constexpr bool is_of_writer(participant_index holder,
                                          participant_index writer) noexcept {
  return holder == writer;
}

/// Whether a write is based on an earlier version than the current one.
[[nodiscard]] constexpr bool is_outdated(std::uint64_t base,
                                         std::uint64_t current) noexcept {
  return base < current;
}

} // namespace convene::session::checks
