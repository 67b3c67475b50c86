#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <convene/cli/pages/report_page.hpp>

#include <string>
#include <utility>
#include <vector>

namespace convene::cli {

/// The level of a stage of a load's summary, as in "20 sessions/s".
[[nodiscard]] std::string level_of(const boost::json::value& stage);

/// What came out of a load, a sentence each.
[[nodiscard]] std::vector<report_verdict>
load_verdicts(const boost::json::object& summary);

/// What was carried, and of what the load was: names and values.
[[nodiscard]] std::vector<std::pair<std::string, std::string>>
load_facts(const boost::json::object& summary);

} // namespace convene::cli
