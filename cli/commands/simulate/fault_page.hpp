#pragma once

#include <boost/json/object.hpp>
#include <convene/cli/pages/report_page.hpp>

namespace convene::cli {

/// Adds to a simulation's report what its summary says of faults; nothing, if
/// it says nothing.
void add_faults(report_page& page, const boost::json::object& summary);

} // namespace convene::cli
