#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/error.hpp>

// What is said of a scenario before it is decoded.

namespace convene::host {

/// A document alone is told apart from a scenario that lacks its Collab.
[[nodiscard]] protocol::result<void>
check_is_scenario(const boost::json::object& scenario);

/// A role_id that is null, as some write what they lack, is none.
void drop_null_roles(boost::json::object& scenario);

/// What the schema of scenarios finds that the decoder might let pass.
[[nodiscard]] protocol::result<void>
validate_scenario(const boost::json::object& scenario);

} // namespace convene::host
