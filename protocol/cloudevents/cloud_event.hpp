#pragma once

#include <boost/json/object.hpp>

#include <string_view>

namespace convene::protocol {

/// The event as a CloudEvent 1.0 in JSON, with itself as `data`. An event that
/// has no id gets `otherwise`, which must be unique in its log; a time that is
/// none is left out.
[[nodiscard]] boost::json::object cloud_event(const boost::json::object& event,
                                              std::string_view otherwise);

} // namespace convene::protocol
