#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/error.hpp>

// Checks of a scenario before it is decoded.

namespace convene::host {

/// Refuses a single document that is given instead of a scenario.
[[nodiscard]] protocol::result<void>
check_is_scenario(const boost::json::object& scenario);

/// Removes each participant's role_id that is null.
void drop_null_roles(boost::json::object& scenario);

/// Validates against convene-scenario.schema.json.
[[nodiscard]] protocol::result<void>
validate_scenario(const boost::json::object& scenario);

} // namespace convene::host
