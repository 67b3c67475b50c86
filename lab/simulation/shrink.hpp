#pragma once

#include <boost/json/object.hpp>
#include <convene/lab/simulation/simulation.hpp>
#include <convene/protocol/base/error.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace convene::host {

/// A scenario and the faults that strike in it.
struct shrunk_case {
  boost::json::object scenario;
  std::vector<fault_turn> script;
};

/// How a failing seed is made small.
struct shrink_order {
  std::uint64_t seed = 1;
  /// Runs at a time, and at most; one is a candidate that was tried, whether it
  /// made a scenario or not.
  std::size_t threads = 1;
  std::size_t runs_max = 2'000;
  /// As those of the simulation: bound of the log, properties, faults.
  const simulation* like = nullptr;
  /// The scenario of a candidate, for the seed. Called from several threads.
  std::function<protocol::result<seeded_scenario>(const boost::json::object&)>
    scenario;
};

/// What is left of a failing seed.
struct shrunk_seed {
  shrunk_case smallest;
  std::string rule;    ///< that it breaks, as the whole did
  std::string message; ///< what its finding says
  std::size_t runs = 0;
  bool is_minimal = false; ///< nothing can be left out; else `runs_max` ran out
};

/// Looks for the smallest scenario and script, from those of a seed that failed
/// on, in which the same rule is broken, and of `property` the same property.
/// What cannot be activated breaks nothing. The same result for any number of
/// threads. Errors: `shrink_start` if the scenario as it is given, with these
/// faults as a script, does not fail, or never began; `fault_script_max`;
/// `seed_interrupted`.
[[nodiscard]] protocol::result<shrunk_seed>
shrink(const shrink_order& how, const seeded_scenario& from,
       const std::atomic<bool>& stop);

} // namespace convene::host
