#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/error.hpp>

#include <string_view>

namespace convene::session {

/// The id and role of the agent itself, who executes no step.
inline constexpr std::string_view single_agent_id = "single-agent";

/// Makes a single agent's scenario (context, plan, behaviours by agent_role)
/// one that a session can run: adds a Collab of the agent and its executors,
/// one for each agent_role of the plan's steps or several where steps can run
/// at once, and what `session` lacks. The documents are embedded already; what
/// is not of its type stays for the decoder to refuse. Rules `single_agent`
/// (there is a Collab, or a policy for several agents), `required` (there is no
/// plan), `known_role` (a behaviour is for a role that no step has) and
/// `executor_missing` (a role has no behaviour).
[[nodiscard]] protocol::result<void> arrange(boost::json::object& scenario);

} // namespace convene::session
