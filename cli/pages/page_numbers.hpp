#pragma once

#include <boost/json/value.hpp>
#include <convene/cli/pages/report_page.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace convene::cli {

/// A number of a summary; null, and one that is infinite, is none.
[[nodiscard]] std::optional<double> number_of(const boost::json::value& number);

/// One that is whole and not below 0.
[[nodiscard]] std::uint64_t count_of(const boost::json::value& number);

/// {value, low, high} of a summary; null: nothing is known.
[[nodiscard]] report_estimate estimate_of(const boost::json::value& of);

/// Measures are named after what they are counted in.
[[nodiscard]] report_unit unit_of(std::string_view measure);

} // namespace convene::cli
