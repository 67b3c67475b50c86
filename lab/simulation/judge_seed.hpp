#pragma once

#include <convene/lab/simulation/simulation.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

namespace convene::host {

/// One seed that was run, with what it was judged by.
struct judged_seed {
  seed_outcome outcome;
  seed_log log;
  std::optional<session_result> ended;
  std::vector<fault_turn> script; ///< the faults that struck
  series_rows series;             ///< if the simulation has a series
};

/// An error as a finding of its rule.
[[nodiscard]] protocol::finding to_finding(const protocol::error& why);

/// Runs a seed of this scenario, under the simulation's faults, and judges it.
/// Nothing: `stop` was set meanwhile.
[[nodiscard]] std::optional<judged_seed>
judge_seed(const simulation& what, const seeded_scenario& scenario,
           std::uint64_t seed, const std::atomic<bool>& stop);

} // namespace convene::host
