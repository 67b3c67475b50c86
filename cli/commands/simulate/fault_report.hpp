#pragma once

#include <boost/json/object.hpp>

#include <string>

namespace convene::cli {

/// What a simulation's summary says of faults, for people; empty: nothing.
[[nodiscard]] std::string fault_text(const boost::json::object& summary);

} // namespace convene::cli
