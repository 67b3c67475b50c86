#pragma once

#include <boost/json/object.hpp>
#include <convene/lab/simulation/simulation.hpp>

#include <vector>

namespace convene::host {

/// What faults came to: {struck: {<kind>: {times, seeds}}, missing: [<kind>],
/// sometimes: {<state>: <seeds>}}. `struck` has the kinds that were asked for,
/// `missing` those of them that never happened, `sometimes` all states.
[[nodiscard]] boost::json::object
summarise_faults(const fault_spec& asked, const std::vector<seed_outcome>& all);

} // namespace convene::host
