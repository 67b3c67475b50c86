#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/session/spec/spec.hpp>

#include <string>
#include <string_view>

namespace convene::host {

/// Who answers for a participant in a simulation.
struct stand_in {
  std::string participant_id; ///< "*": all that have no behaviour of their own
  boost::json::value behaviour;
};

/// Reads `ID=BEHAVIOUR`, a JSON object or the name of a type that needs no
/// settings, such as `simulated`. Refuses what acts outside (`stand_in`).
[[nodiscard]] protocol::result<stand_in> parse_stand_in(std::string_view text);

/// The override of the scenario that puts it in place.
[[nodiscard]] std::string to_override(const stand_in& what);

/// Whether nobody in the scenario acts outside of it. Error:
/// `activation_refused`, rule `stand_in_missing`, naming all who do.
[[nodiscard]] protocol::result<void>
check_nobody_outside(const session::spec& what);

} // namespace convene::host
