#include <convene/actors/behaviours/factory.hpp>
#include <convene/modes/catalog.hpp>
#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/engine.hpp>
#include <convene/runtime/may_start.hpp>
#include <convene/session/machine/machine.hpp>
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

protocol::result<void> may_start(const session::spec& scenario,
                                 const runtime_options& how) {
  const auto name = scenario.options.policy.value_or(
    std::string{to_word(scenario.collab.mode)});
  const auto* policy = modes::find(name);
  if (policy == nullptr)
    return fail(no_policy(name));
  if (auto known = session::check_role_ids(scenario); !known)
    return known;
  // First the rules that no permission changes.
  const auto machine = session::machine::activate(scenario, *policy, {});
  if (!machine)
    return fail(machine.error());
  if (auto bound = bind_conditions(**machine, {}); !bound)
    return fail(std::move(bound).error());
  outside reached{outside_of(how)};
  if (auto may = reached.check(scenario); !may)
    return may;
  return actors::behaviours_for(scenario, 0, &reached).map([](const auto&) {});
}

} // namespace convene::host
