#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace convene::cli {

/// A study's summary for people: a table for each measure that is not 0
/// throughout, a row for each point.
[[nodiscard]] std::string study_text(const boost::json::object& summary);

/// The same as CSV (RFC 4180): a row for each point and measure.
[[nodiscard]] std::string study_csv(const boost::json::object& summary);

/// Whether a measure is told by its median: some values may be infinite.
[[nodiscard]] bool is_told_by_median(std::string_view measure);

/// The estimate by which a comparison of the measure is told.
[[nodiscard]] const boost::json::value&
told_difference(std::string_view measure, const boost::json::value& comparison);

/// Whether any run of a point ended; else nothing is known of it but failures.
[[nodiscard]] bool has_ended(const boost::json::value& point);

/// Whether the measure is not 0 throughout.
[[nodiscard]] bool is_told(std::string_view measure,
                           const boost::json::array& points);

} // namespace convene::cli
