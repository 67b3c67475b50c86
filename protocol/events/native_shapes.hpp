#pragma once

#include <convene/protocol/events/member_kind.hpp>

#include <string_view>
#include <vector>

namespace convene::protocol {

/// One member of an event, as its description has it.
struct member_shape {
  std::string_view name;
  member_kind is = member_kind::any;
  bool optional = false;
  std::vector<member_shape> members; ///< of an object, or of each in a list
};

/// The members of one event type.
struct event_type_shape {
  std::string_view type;
  std::string_view family;
  std::vector<member_shape> members;
};

/// The shape of an event type, or null if no native event has it.
[[nodiscard]] const event_type_shape*
find_shape(std::string_view event_type) noexcept;

/// Those of all types, as often as an event of theirs is in native_events.
[[nodiscard]] const std::vector<event_type_shape>& native_shapes();

/// Whether a native event is of the family.
[[nodiscard]] bool is_native_family(std::string_view family) noexcept;

} // namespace convene::protocol
