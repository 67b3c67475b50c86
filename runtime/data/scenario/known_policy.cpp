#include <convene/modes/catalog.hpp>
#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/scenario/known_policy.hpp>
#include <convene/session/spec/role_ids.hpp>

#include <string_view>
#include <vector>

namespace convene::host {

using protocol::errc;
using protocol::fail;

protocol::error no_policy(const std::string& name) {
  std::string listed;
  std::vector<std::string_view> known;
  for (const auto* policy : modes::catalog()) {
    known.push_back(policy->name);
    listed += (listed.empty() ? "" : ", ") + std::string{policy->name};
  }
  return {.code = errc::activation_refused,
          .message = "unknown policy" + protocol::suggest(name, known)
                     + "; use one of " + listed,
          .pointer = "/session/policy",
          .rule = "known_policy",
          .value = protocol::shorten(name)};
}

protocol::result<void> check_known_names(const session::spec& scenario) {
  const auto name = scenario.options.policy.value_or(
    std::string{to_word(scenario.collab.mode)});
  if (modes::find(name) == nullptr)
    return fail(no_policy(name));
  return session::check_role_ids(scenario);
}

} // namespace convene::host
