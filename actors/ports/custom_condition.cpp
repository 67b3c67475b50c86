#include <convene/actors/ports/custom_condition.hpp>
#include <convene/session/machine/machine.hpp>

#include <exception>
#include <utility>

namespace convene::actors {

std::optional<session::verdict> judge(custom_condition& what,
                                      const session::machine& now) {
  session::verdict found{.condition = what.name};
  try {
    auto observed = what.holds(now);
    if (what.is_known && observed == what.last)
      return std::nullopt;
    what.is_known = true;
    what.last = observed;
    found.holds = observed.has_value();
    found.observed = std::move(observed).value_or("");
    return found;
  } catch (const std::exception& thrown) {
    found.error = thrown.what();
  } catch (...) {
    // nop
  }
  if (found.error.empty())
    found.error = "threw something other than std::exception";
  return found;
}

} // namespace convene::actors
