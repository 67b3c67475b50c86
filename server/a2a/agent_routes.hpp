#pragma once

#include <convene/server/a2a/agent_card.hpp>
#include <convene/server/a2a/push_desk.hpp>
#include <convene/server/a2a/task_index.hpp>
#include <convene/server/http/route.hpp>
#include <convene/server/sessions/session_host.hpp>

#include <memory>

namespace convene::server {

/// The endpoints of A2A 1.0 (docs/server-a2a.md): the card, messages, tasks.
/// `host`, whose events `tasks` sees and `push` is told of, must outlive those
/// who call them.
[[nodiscard]] routes
agent_routes(session_host& host, std::shared_ptr<const task_index> tasks,
             std::shared_ptr<push_desk> push, agent_options about);

/// What their handlers have.
struct task_agent {
  session_host& host;
  std::shared_ptr<const task_index> tasks;
  std::shared_ptr<push_desk> push;
  agent_options about;
};

using shared_agent = std::shared_ptr<const task_agent>;

/// Its parts.
[[nodiscard]] routes message_routes(const shared_agent& agent);
[[nodiscard]] routes task_routes(const shared_agent& agent);
[[nodiscard]] routes push_routes(const shared_agent& agent);

} // namespace convene::server
