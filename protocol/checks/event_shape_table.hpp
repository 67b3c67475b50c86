#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace convene::protocol {

/// What the value of an event's member must be.
enum class member_kind : std::uint8_t {
  any,
  text,
  name, // text, not empty
  id,   // a v4 UUID
  key,  // 32 hexadecimal digits
  time,
  count, // an integer from 0
  object,
  list,  // of objects
  names, // a list of text
  mode,
  ending,
  stage,
};

/// One member of an event, as docs/events.md names it.
struct member_shape {
  std::string_view name;
  member_kind is = member_kind::any;
  bool optional = false;
};

/// The members of one event type.
struct event_type_shape {
  std::string_view type;
  std::string_view family;
  std::span<const member_shape> envelope; ///< beside what all events have
  std::span<const member_shape> payload;
};

/// The shape of an event type, or none if it is not known.
[[nodiscard]] const event_type_shape*
find_shape(std::string_view event_type) noexcept;

/// What every event has.
extern const std::span<const member_shape> common_members;

/// What `usage` of MAPSessionCompleted has.
extern const std::span<const member_shape> usage_members;

/// What each of the `assignments` of MAPRolesAssigned has.
extern const std::span<const member_shape> assignment_members;

} // namespace convene::protocol
