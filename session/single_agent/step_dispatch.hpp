#pragma once

#include <convene/session/routing/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace convene::session {

/// How many steps a single agent executes at once, at most.
inline constexpr std::size_t steps_at_once_max = 4;

/// The role that executes steps without an agent_role, where somebody has it.
inline constexpr std::string_view agent_role_default = "agent";

/// What happens when a step has failed and its retries are used up.
enum class on_failure : std::uint8_t {
  abort, ///< no further step is started
  skip,  ///< only the steps that wait for it are not
};

/// Dispatches ready steps to idle executors of their role, in the order of
/// order_index and then step_id; ends the session when nothing is left to do.
[[nodiscard]] ruling dispatch_steps(const view& now, on_failure then);

/// The policy of a single agent that does this after a failed step.
template <on_failure Then>
[[nodiscard]] constexpr routing_policy
single_agent_policy(std::string_view name, std::string_view summary) {
  return {.name = name,
          .summary = summary,
          .takes_turns = false,
          .needs_plan = true,
          .repeats_unknown = false,
          .decide = [](const view& now, memory) {
            return dispatch_steps(now, Then);
          }};
}

} // namespace convene::session
