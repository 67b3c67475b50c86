#pragma once

#include <convene/protocol/base/words.hpp>
#include <convene/protocol/documents/role.hpp>

#include <cstdint>
#include <string_view>

// Capabilities (MPLP runtime.md 10): `resource.action`, as Roles list them.

namespace convene::protocol {

/// Whether a capability is the one for `action` on `resource`: exactly, by a
/// star as the action, or by a star alone.
[[nodiscard]] bool grants(std::string_view capability,
                          std::string_view resource, std::string_view action);

/// What the protocol names a capability for.
enum class operation : std::uint8_t {
  create_plan,
  propose_plan,
  execute_step,
  approve_confirm,
  reject_confirm,
  read_context,
  modify_context,
  read_trace,
  join_session,
  orchestrate_session,
};
CONVENE_WORDS(operation, "create_plan", "propose_plan", "execute_step",
              "approve_confirm", "reject_confirm", "read_context",
              "modify_context", "read_trace", "join_session",
              "orchestrate_session");

/// The capability that an operation needs: "plan.create".
[[nodiscard]] std::string_view capability_for(operation what) noexcept;

/// Whether who has this Role may do that. Without a Role (null), or with one
/// that has no list, nothing is allowed.
[[nodiscard]] bool may(const role* who, operation what);

} // namespace convene::protocol
