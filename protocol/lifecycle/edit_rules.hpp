#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/lifecycle/lifecycle.hpp>

#include <optional>
#include <span>
#include <string_view>

// Which members of an object may change in which status, apart from the status
// itself (MPLP lifecycles 2 to 11, "permits").

namespace convene::protocol {

/// The parts of an object that have a lifecycle of their own, and in which
/// statuses of the object they may be added and change their status, be
/// removed, and change otherwise.
struct part_rule {
  module owner;
  std::string_view member; ///< the array
  const lifecycle* part;
  std::span<const std::string_view> open;
  std::span<const std::string_view> removed;
  std::span<const std::string_view> changed;
};

/// The parts of a module's objects. Null: they have none.
[[nodiscard]] const part_rule* find_part_rule(module owner) noexcept;

[[nodiscard]] bool is_one_of(std::string_view status,
                             std::span<const std::string_view> all) noexcept;

/// Whether the members that differ, parts and status apart, may do so in the
/// status that the object has before. Rule `frozen`, with the pointer.
[[nodiscard]] result<void> check_edits(const lifecycle& of,
                                       const json::object& before,
                                       const json::object& after);

/// Whether a member says nothing of the object but how it is kept: `meta`,
/// `governance`, `updated_at`.
[[nodiscard]] bool is_bookkeeping(std::string_view member) noexcept;

} // namespace convene::protocol
