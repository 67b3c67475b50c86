#include <convene/session/conflicts/permission.hpp>
#include <convene/session/spec/roster.hpp>

#include <algorithm>
#include <unordered_map>

namespace convene::session {
namespace {

using list = std::vector<std::string>;

/// The list of each participant's role; null: it has none.
std::vector<const list*> lists_of(const spec& what) {
  std::unordered_map<std::string_view, const protocol::role*> roles;
  for (const auto& r : what.roles) {
    // The first of a name counts, as in the roster.
    roles.try_emplace(r.role_id, &r);
    roles.try_emplace(r.name, &r);
  }
  std::vector<const list*> all;
  for (const auto& p : what.collab.participants) {
    const auto found = p.role_id ? roles.find(*p.role_id) : roles.end();
    const bool limited = found != roles.end()
                         && found->second->capabilities.has_value();
    all.push_back(limited ? &*found->second->capabilities : nullptr);
  }
  return all;
}

} // namespace

bool grants(std::string_view capability, std::string_view resource,
            std::string_view action) {
  if (capability == "*")
    return true;
  if (!capability.starts_with(resource))
    return false;
  capability.remove_prefix(resource.size());
  if (!capability.starts_with('.'))
    return false;
  capability.remove_prefix(1);
  return capability == action || capability == "*";
}

bool permissions::may_write(const spec& what, participant_index who,
                            std::string_view resource_type) {
  if (capabilities_.empty())
    capabilities_ = lists_of(what);
  const auto* all = capabilities_[who];
  return all == nullptr || std::ranges::any_of(*all, [&](const auto& one) {
           return grants(one, resource_type, "write");
         });
}

} // namespace convene::session
