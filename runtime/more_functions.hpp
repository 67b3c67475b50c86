#pragma once

#include <convene/runtime/runtime.hpp>

#include <map>
#include <string>

namespace convene::host {

/// Replaces the function under "*": each participant that has no function and
/// no behaviour in `behaviours`, or one that says that a function answered for
/// it, gets that function under its own id.
void spread_default_function(std::map<std::string, participant>& functions,
                             const session::spec& scenario,
                             const protocol::json::object& behaviours);

/// Adds what `makers` make for participants whose behaviour has the type
/// `application`, unless they have a function. Errors: `behaviour_unknown`,
/// `behaviour_threw`, and those of the makers, with a pointer to the behaviour.
[[nodiscard]] result<void> make_application_behaviours(
  std::map<std::string, participant>& functions, const session::spec& scenario,
  const protocol::json::object& behaviours,
  const std::map<std::string, behaviour_maker>& makers);

} // namespace convene::host
