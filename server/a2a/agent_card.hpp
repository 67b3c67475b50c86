#pragma once

#include <boost/json/object.hpp>
#include <convene/server/a2a/agent_skills.hpp>

#include <string>
#include <string_view>

namespace convene::server {

struct agent_options {
  agent_skills skills;
  std::string url;     ///< where clients reach the agent; empty: as they asked
  std::string version; ///< of the program
  bool tls = false;    ///< how they asked
  bool wants_key = false;
  bool pushes = false; ///< it sends push notifications
};

/// The AgentCard for who asked under this name (the header Host).
[[nodiscard]] boost::json::object agent_card(const agent_options& about,
                                             std::string_view host);

} // namespace convene::server
