#include <convene/protocol/security/capability.hpp>

#include <algorithm>
#include <array>

namespace convene::protocol {
namespace {

/// In the order of `operation`.
constexpr std::array<std::string_view, words_of<operation>.size()> needed{
  "plan.create",    "plan.propose",       "plan.execute",   "confirm.approve",
  "confirm.reject", "context.read",       "context.modify", "trace.read",
  "collab.join",    "collab.orchestrate",
};

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

std::string_view capability_for(operation what) noexcept {
  return needed[static_cast<std::size_t>(what)];
}

bool may(const role* who, operation what) {
  if (who == nullptr || !who->capabilities)
    return false;
  const auto name = capability_for(what);
  const auto dot = name.find('.');
  const auto resource = name.substr(0, dot);
  const auto action = name.substr(dot + 1);
  return std::ranges::any_of(*who->capabilities, [&](const auto& one) {
    return grants(one, resource, action);
  });
}

} // namespace convene::protocol
