#include <convene/protocol/security/capability.hpp>
#include <convene/session/conflicts/permission.hpp>
#include <convene/session/spec/role_index.hpp>

#include <algorithm>

namespace convene::session {
namespace {

using list = std::vector<std::string>;

/// The list of each participant's role; null: it has none.
std::vector<const list*> lists_of(const spec& what) {
  const role_index roles{what};
  std::vector<const list*> all;
  for (const auto& p : what.collab.participants) {
    const auto* role = roles.of(p);
    const bool limited = role != nullptr && role->capabilities.has_value();
    all.push_back(limited ? &*role->capabilities : nullptr);
  }
  return all;
}

} // namespace

bool permissions::may_write(const spec& what, participant_index who,
                            std::string_view resource_type) {
  if (capabilities_.empty())
    capabilities_ = lists_of(what);
  const auto* all = capabilities_[who];
  return all == nullptr || std::ranges::any_of(*all, [&](const auto& one) {
           return protocol::grants(one, resource_type, "write");
         });
}

} // namespace convene::session
