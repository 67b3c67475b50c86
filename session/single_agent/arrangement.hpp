#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/error.hpp>

#include <string>
#include <string_view>

namespace convene::session {

/// The id and role of the agent itself, who executes no step.
inline constexpr std::string_view single_agent_id = "single-agent";

/// The id, and the role, of the participant that has the compensation of an
/// agent_role, or of `"*"`: who never has a turn in the run itself.
[[nodiscard]] std::string compensation_id(std::string_view role);

/// Makes a single agent's scenario (context, plan, behaviours by agent_role)
/// one that a session can run: adds a Collab of the agent and its executors,
/// one for each agent_role of the plan's steps or several where steps can run
/// at once, and what `session` lacks. The member `compensations`, behaviours by
/// agent_role, too, becomes participants that never have a turn. The documents
/// are embedded already; what is not of its type stays for the decoder to
/// refuse. Rules `single_agent` (there is a Collab, or a policy for several
/// agents), `required` (there is no plan), `known_role` (a behaviour or
/// compensation is for a role that no step has), `reserved_role` (a role has
/// the id of a compensation) and `executor_missing` (a role has no behaviour).
[[nodiscard]] protocol::result<void> arrange(boost::json::object& scenario);

/// An error about an arranged scenario, with the place that the compensation
/// has where it was written.
[[nodiscard]] protocol::error as_written(protocol::error what);

} // namespace convene::session
