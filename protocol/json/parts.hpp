#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <string_view>

// Arrays and objects in JSON from outside, whose members may be missing or of
// any type.

namespace convene::protocol {

namespace json = boost::json;

/// The member's items; none if it is not an array.
[[nodiscard]] inline const json::array&
items_of(const json::object& from, std::string_view name) noexcept {
  static const json::array none;
  const auto* member = from.if_contains(name);
  return member != nullptr && member->is_array() ? member->get_array() : none;
}

/// The member to change, if it is an object; else null.
[[nodiscard]] inline json::object* object_in(json::object& from,
                                             std::string_view name) noexcept {
  auto* member = from.if_contains(name);
  return member == nullptr ? nullptr : member->if_object();
}

/// The member to change, if it is an array; else null.
[[nodiscard]] inline json::array* array_in(json::object& from,
                                           std::string_view name) noexcept {
  auto* member = from.if_contains(name);
  return member == nullptr ? nullptr : member->if_array();
}

} // namespace convene::protocol
