#include <convene/protocol/base/nearest.hpp>
#include <convene/session/spec/refusal.hpp>
#include <convene/session/spec/role_ids.hpp>
#include <convene/session/spec/role_index.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::session {
namespace {

protocol::result<void> check_role_id(const spec& what, const role_index& roles,
                                     const std::optional<std::string>& role,
                                     const std::string& owner) {
  if (!role || role->empty() || roles.find(*role) != nullptr)
    return {};
  std::vector<std::string_view> known;
  for (const auto& each : what.roles) {
    known.push_back(each.role_id);
    known.push_back(each.name);
  }
  return refuse_start("known_role", owner + "/role_id",
                      "none of the given Roles has this id or name"
                        + protocol::suggest(*role, known)
                        + "; correct it, or add the Role",
                      *role);
}

} // namespace

protocol::result<void> check_role_ids(const spec& what) {
  if (what.roles.empty()
      || what.options.policy.value_or("").starts_with("single_agent"))
    return {};
  const role_index roles{what};
  const auto& participants = what.collab.participants;
  for (std::size_t i = 0; i < participants.size(); ++i)
    if (auto ok = check_role_id(what, roles, participants[i].role_id,
                                "/collab/participants/" + std::to_string(i));
        !ok)
      return ok;
  if (!what.network || !what.network->nodes)
    return {};
  const auto& nodes = *what.network->nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (auto ok = check_role_id(what, roles, nodes[i].role_id,
                                "/network/nodes/" + std::to_string(i));
        !ok)
      return ok;
  return {};
}

} // namespace convene::session
