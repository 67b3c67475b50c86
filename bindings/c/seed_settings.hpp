#pragma once

#include <boost/json/object.hpp>
#include <convene/lab/simulation/seeded_start.hpp>
#include <convene/lab/simulation/simulation.hpp>
#include <convene/lab/study/study_points.hpp>
#include <convene/lab/study/study_scenarios.hpp>
#include <convene/protocol/base/error.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace convene::c_api {

/// What convene_simulate is given.
struct seed_settings {
  host::study_base from; ///< the scenario; the stand-ins are its last overrides
  host::seed_range seeds;
  std::size_t threads = 0; ///< 0: one for each core
  host::simulation judged; ///< measures, properties and faults alone
  std::optional<std::chrono::milliseconds> limit;
};

/// What convene_study is given besides.
struct point_settings {
  std::vector<host::study_point> points;
  std::size_t baseline = 1;
};

/// Reads a scenario, which is JSON if it begins with `{`, else a path, and the
/// options of convene_simulate.
[[nodiscard]] protocol::result<seed_settings>
read_seed_settings(std::string_view scenario, boost::json::object options);

/// Takes from the options of convene_study those that convene_simulate does not
/// have.
[[nodiscard]] protocol::result<point_settings>
take_point_settings(boost::json::object& options);

} // namespace convene::c_api
