#pragma once

#include <boost/json/object.hpp>
#include <convene/cli/pages/report_page.hpp>
#include <convene/lab/load/load_run.hpp>

namespace convene::cli {

/// The report of a load: its summary, and how it went second by second.
[[nodiscard]] report_page load_page(const boost::json::object& summary,
                                    const host::load_outcome& outcome);

} // namespace convene::cli
