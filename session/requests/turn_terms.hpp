#pragma once

#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/documents/reply.hpp>
#include <convene/session/workspace/resource.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::session {

/// How a turn differs from one that may write anything and is not a handoff.
struct turn_terms {
  bool limited = false; ///< only `resources` may be written
  std::vector<protocol::resource_ref> resources;
  protocol::uuid handoff_id;                ///< nil: not a handoff
  std::uint32_t handed_by = author::nobody; ///< a position in the roster
  std::uint32_t depth = 0; ///< handoffs in a row that led to it
  std::string instructions;
  std::string reason;

  bool operator==(const turn_terms&) const = default;
};

/// Whether a turn with these terms may write `what`.
[[nodiscard]] bool may_write(const turn_terms& of, const resource_name& what);

/// Whether the turn is a handoff. What its giver could write does not limit it:
/// it may write all that its holder's role permits, except what another open
/// turn, or the step of one, names.
[[nodiscard]] inline bool is_handed_on(const turn_terms& of) noexcept {
  return of.depth > 0;
}

/// What concurrently open turns may write: several are allowed only if each
/// names its resources and no two name the same. One of them may be a handoff,
/// which writes what the others do not name.
class open_resources {
public:
  /// Adds a turn, or returns why it may not be open beside the others. The
  /// terms must outlive this object.
  [[nodiscard]] std::optional<std::string> add(const turn_terms& of);

private:
  std::size_t turns_ = 0;
  bool unlimited_ = false;
  bool handed_on_ = false; ///< one of them is a handoff that names none
  std::set<std::pair<std::string_view, std::string_view>> named_;
};

} // namespace convene::session
