#pragma once

#include <convene/lab/simulation/simulation.hpp>
#include <convene/lab/study/point_result.hpp>
#include <convene/lab/study/study_points.hpp>
#include <convene/protocol/base/error.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace convene::host {

/// Most runs of a study: points times seeds.
inline constexpr std::uint64_t study_runs_max = 1'000'000;

/// Variants of a scenario, each under the same seeds.
struct study {
  std::vector<study_point> points; ///< at least one
  std::uint64_t first = 1;
  std::uint64_t last = 1;
  std::size_t threads = 1;
  /// The point's scenario for a seed. Called from several threads at once.
  std::function<protocol::result<seeded_scenario>(const study_point& point,
                                                  std::uint64_t seed)>
    scenario;
  /// What is measured and judged of each run besides what always is, and whose
  /// runs are kept: below `each.out`, in POINT/SEED. The rest is not looked at.
  simulation each;
  /// Called with each point that was finished, in their order.
  std::function<protocol::result<void>(const point_result& point)> on_point;
  /// Called now and then with how many runs of the study are done.
  std::function<void(std::uint64_t done, std::uint64_t failed)> on_progress;
};

/// Runs the points after those in `all`, which it appends to, until `stop` is
/// set. Draws follow from what is asked (`draws_by::task`), so variants are
/// paired by seed. What an earlier study has kept of a point that is run again
/// is replaced. An error is one of `on_point`, or of the disk.
[[nodiscard]] protocol::result<void> run_points(const study& what,
                                                const std::atomic<bool>& stop,
                                                std::vector<point_result>& all);

} // namespace convene::host
