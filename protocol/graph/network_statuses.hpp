#pragma once

#include <boost/json/object.hpp>

#include <functional>
#include <set>
#include <string>

namespace convene::protocol {

/// A Network once these participants of the Collab are lost: a node whose
/// participants are all lost is unreachable, one with another is active, and
/// the Network is degraded or active with them (docs/modules.md).
[[nodiscard]] boost::json::object
with_statuses(boost::json::object network, const boost::json::object& collab,
              const std::set<std::string, std::less<>>& lost);

} // namespace convene::protocol
