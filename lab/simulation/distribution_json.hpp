#pragma once

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace convene::host {

/// {min, median, p90, p99, max, histogram: [{from, to, seeds}]}; a quantile is
/// {value, low, high}. `beyond`: how many more values there are, above all
/// others. What is not known is null.
[[nodiscard]] boost::json::object
distribution_json(std::vector<std::int64_t> values, std::size_t beyond = 0);

/// {min, median, p90, p99, max, mean}; all but `min` and `max` are {value, low,
/// high}. The mean's interval is Student's. What is not known is null.
[[nodiscard]] boost::json::object sample_json(std::vector<double> values);

/// {value, low, high}, in millionths; of none at all the value is null.
[[nodiscard]] boost::json::object share_json(std::size_t hits, std::size_t all);

} // namespace convene::host
