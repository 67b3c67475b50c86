#pragma once

#include <boost/json/object.hpp>
#include <convene/lab/study/study_scenarios.hpp>
#include <convene/protocol/base/error.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::cli {

namespace json = boost::json;

/// A scenario in several modes.
struct mode_points {
  host::study_base base; ///< the scenario, with every document and stand-ins
  std::vector<host::study_point> points; ///< the modes that can be simulated
  /// The others, and why.
  std::vector<std::pair<std::string, protocol::error>> refused;
};

/// Puts the stand-ins in place, and tries each mode; of none, all five.
[[nodiscard]] mode_points
points_of_modes(json::object scenario, const json::object& stand_ins,
                const std::vector<std::string_view>& modes);

} // namespace convene::cli
