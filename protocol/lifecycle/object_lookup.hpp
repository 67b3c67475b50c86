#pragma once

#include <convene/protocol/documents/common.hpp>

#include <functional>
#include <string_view>

namespace convene::protocol {

/// What a caller knows about other objects, as JSON documents. A null result or
/// an unset function means that there is none.
struct object_lookup {
  /// The object with this id; a Role also by its name.
  std::function<const json::object*(module, std::string_view id)> find;
  /// The latest Confirm about the object with this id.
  std::function<const json::object*(std::string_view target_id)> confirm_about;
};

[[nodiscard]] inline const json::object*
find_object(const object_lookup& known, module which, std::string_view id) {
  return known.find && !id.empty() ? known.find(which, id) : nullptr;
}

/// Whether the latest Confirm about the object is an approval.
[[nodiscard]] bool is_confirmed(const object_lookup& known,
                                std::string_view target_id);

/// Whether the Confirm has been approved, or overridden, which counts as
/// approved.
[[nodiscard]] bool is_approval(const json::object& confirm);

} // namespace convene::protocol
