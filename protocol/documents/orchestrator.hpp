#pragma once

#include <string_view>

// How an orchestrator is recognised (MPLP conflicts C-13): by a capability of
// its Role, else by the Role's name, else by its own id or its role's.

namespace convene::protocol {

[[nodiscard]] constexpr bool
lets_orchestrate(std::string_view capability) noexcept {
  return capability == "collab.orchestrate" || capability == "collab.*"
         || capability == "*";
}

[[nodiscard]] constexpr bool
is_orchestrator_role(std::string_view role_name) noexcept {
  return role_name == "orchestrator";
}

[[nodiscard]] constexpr bool
looks_like_orchestrator(std::string_view id) noexcept {
  return id.find("orchestrator") != std::string_view::npos;
}

} // namespace convene::protocol
