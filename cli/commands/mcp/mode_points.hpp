#pragma once

#include <boost/json/object.hpp>
#include <convene/lab/simulation/run_seed.hpp>
#include <convene/lab/study/study.hpp>
#include <convene/protocol/base/error.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::cli {

namespace json = boost::json;

/// A scenario in several modes.
struct mode_points {
  json::object scenario; ///< with every document in it, and with stand-ins
  std::vector<host::study_point> points; ///< the modes that can be simulated
  /// The others, and why.
  std::vector<std::pair<std::string, protocol::error>> refused;
};

/// Puts the stand-ins in place, and tries each mode; of none, all five.
[[nodiscard]] mode_points
points_of_modes(json::object scenario, const json::object& stand_ins,
                const std::vector<std::string_view>& modes);

/// The scenario of a point for a seed.
[[nodiscard]] protocol::result<host::seeded_scenario>
load_point(const json::object& scenario, const host::study_point& point,
           std::uint64_t seed);

} // namespace convene::cli
