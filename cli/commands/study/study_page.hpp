#pragma once

#include <boost/json/object.hpp>
#include <convene/cli/pages/report_page.hpp>

namespace convene::cli {

/// The report of a study, from its summary with the commands that reproduce its
/// failures.
[[nodiscard]] report_page study_page(const boost::json::object& summary);

} // namespace convene::cli
