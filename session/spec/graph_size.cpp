#include <convene/session/spec/graph_size.hpp>
#include <convene/session/spec/role_index.hpp>

#include <set>
#include <string_view>

namespace convene::session {
namespace {

using protocol::graph_delta;

void add(graph_delta& to, const graph_delta& what) {
  to.nodes += what.nodes;
  to.edges += what.edges;
}

std::int64_t count_of(std::size_t many) {
  return static_cast<std::int64_t>(many);
}

/// A part: its node, its owner's edge to it, and perhaps one to a Role.
graph_delta part(const role_index& roles, std::string_view role) {
  const bool is_role = !role.empty() && roles.find(role) != nullptr;
  return {.nodes = 1, .edges = is_role ? 2 : 1};
}

/// Itself and what it is about, with its decisions.
graph_delta confirm_size(const role_index& roles,
                         const protocol::confirm& one) {
  graph_delta sum{.nodes = 1, .edges = 1};
  if (one.decisions)
    for (const auto& each : *one.decisions)
      add(sum, graph_size(roles, each));
  return sum;
}

/// Extensions with their Confirms, Core and Network.
graph_delta modules_size(const role_index& roles, const spec& what) {
  const auto extensions = count_of(what.extensions.size());
  graph_delta sum{.nodes = extensions, .edges = extensions};
  for (const auto& one : what.extension_confirms)
    add(sum, confirm_size(roles, one));
  if (what.core) {
    const auto modules = count_of(what.core->modules.size());
    add(sum, {.nodes = 1 + modules, .edges = modules});
  }
  if (!what.network)
    return sum;
  add(sum, {.nodes = 1, .edges = 1});
  if (what.network->nodes)
    for (const auto& node : *what.network->nodes)
      add(sum, part(roles, node.role_id ? *node.role_id : std::string{}));
  return sum;
}

} // namespace

graph_delta graph_size(const role_index& roles,
                       const std::vector<protocol::plan_step>& steps) {
  graph_delta sum;
  for (const auto& step : steps) {
    add(sum, part(roles, step.agent_role ? *step.agent_role : std::string{}));
    if (step.dependencies)
      sum.edges += count_of(std::set<std::string_view>{
        step.dependencies->begin(), step.dependencies->end()}
                              .size());
  }
  return sum;
}

graph_delta graph_size(const role_index& roles,
                       const protocol::confirm_decision& one) {
  // What the program approves by itself, no Role has decided.
  const auto& by = one.decided_by_role;
  return part(roles, by == "convene" ? std::string_view{} : by);
}

graph_delta graph_size(const spec& what, const protocol::plan* plan,
                       const protocol::confirm* given) {
  const role_index roles{what};
  // Context and Collab, which has the Context.
  graph_delta sum{.nodes = 2 + count_of(what.roles.size()), .edges = 1};
  for (const auto& who : what.collab.participants)
    add(sum, part(roles, who.role_id ? *who.role_id : std::string{}));
  if (plan != nullptr) {
    add(sum, {.nodes = 1, .edges = 1});
    add(sum, graph_size(roles, plan->steps));
  }
  if (given != nullptr)
    add(sum, confirm_size(roles, *given));
  add(sum, modules_size(roles, what));
  return sum;
}

} // namespace convene::session
