#pragma once

#include <convene/lab/simulation/seeded_start.hpp>
#include <convene/lab/study/study.hpp>
#include <convene/protocol/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace convene::host {

/// What the points of a study have in common.
struct study_base {
  scenario_input scenario;
  std::vector<std::string> last; ///< overrides that no point replaces
};

/// The scenario of a point: the base's overrides, the point's choices, then the
/// last ones.
[[nodiscard]] scenario_input scenario_of(const study_base& from,
                                         const study_point& point);

/// Loads the scenarios of points for `study::scenario`; reads each once, as all
/// seeds of one point come before those of the next.
[[nodiscard]] std::function<protocol::result<seeded_scenario>(
  const study_point& point, std::uint64_t seed)>
scenarios_from(study_base from);

/// Whether a study has few enough runs, and its baseline. Rules:
/// `study_runs_max`, `baseline`.
[[nodiscard]] protocol::result<void>
check_size(std::size_t points, const seed_range& seeds, std::size_t baseline);

/// Whether the point can start with this seed; `number` counts from 1. An error
/// names the point.
[[nodiscard]] protocol::result<seeded_scenario>
check_point(const study_base& from, const study_point& point,
            std::size_t number, std::uint64_t seed);

} // namespace convene::host
