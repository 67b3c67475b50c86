#pragma once

#include <convene/cli/commands/simulate/measure_arguments.hpp>
#include <convene/cli/commands/simulate/seeded_options.hpp>
#include <convene/lab/study/study_points.hpp>
#include <convene/lab/study/study_scenarios.hpp>
#include <convene/protocol/base/error.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace convene::cli {

/// How the points of a study are made.
struct study_setup {
  std::vector<std::string> vary;      ///< key=v1,v2,...
  std::vector<std::string> vary_with; ///< files
  std::string sample;                 ///< latin:N; empty: the grid
  std::uint64_t sample_seed = 1;
};

/// The points, those of files first. Without variations one, as the scenario
/// is. Rules: `vary`, `vary_with`, `sample`, `points_max`.
[[nodiscard]] protocol::result<std::vector<host::study_point>>
points_of(const study_setup& how);

/// What all points start from; the stand-ins come last.
[[nodiscard]] host::study_base base_of(const seeded_options& seeded);

/// Activates all points with the first seed; an error names the point. Returns
/// the hash of what the study is: rules, seeds, points, resolved scenarios, and
/// what is measured, judged and kept; nothing once `stop` is set. `on_progress`
/// is called with how many are done.
[[nodiscard]] protocol::result<std::optional<std::string>>
activate_all(const seeded_options& seeded, const host::seed_range& seeds,
             const std::vector<host::study_point>& points,
             const measure_arguments& judged, const std::atomic<bool>& stop,
             const std::function<void(std::size_t done)>& on_progress);

} // namespace convene::cli
