#include <convene/actors/behaviours/factory.hpp>
#include <convene/modes/catalog.hpp>
#include <convene/runtime/engine.hpp>
#include <convene/runtime/may_start.hpp>
#include <convene/session/machine/machine.hpp>

#include <string>

namespace convene::host {

using protocol::fail;

protocol::result<void> may_start(const session::spec& scenario,
                                 const runtime_options& how) {
  if (auto known = check_known_names(scenario); !known)
    return known;
  // First the rules that no permission changes.
  const auto* policy = modes::find(scenario.options.policy.value_or(
    std::string{to_word(scenario.collab.mode)}));
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
