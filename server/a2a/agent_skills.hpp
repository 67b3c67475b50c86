#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/outside/permissions/permissions.hpp>

#include <filesystem>
#include <map>
#include <string>

namespace convene::server {

/// A scenario that others may start, by a message to the agent.
struct agent_skill {
  std::string name;
  std::string description;
  std::string mode;
  boost::json::object scenario; ///< with every document in it
};

/// By id: the name of the scenario's file, without its extension.
using agent_skills = std::map<std::string, agent_skill, std::less<>>;

inline constexpr std::size_t agent_skills_max = 100;

/// Reads all scenarios of `folder`, in JSON or YAML. Errors are those of
/// `load_scenario`, and of the rules `agent_skill_id` (a file's name is none,
/// or two files have one id), `agents_missing` and `agents_max`.
[[nodiscard]] protocol::result<agent_skills>
read_agent_skills(const std::filesystem::path& folder,
                  const host::permissions& allow);

} // namespace convene::server
