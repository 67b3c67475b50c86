#pragma once

#include <convene/session/machine/machine.hpp>
#include <support/dice.hpp>
#include <support/specs.hpp>

#include <cstdint>
#include <string>
#include <vector>

// Sessions that nobody planned: random scenarios and random inputs, the same
// for the same seed on every machine and in every build.

namespace convene::test {

/// What came of a random session.
struct random_log {
  std::vector<std::string> lines;
  std::vector<std::string> broken; ///< what went wrong while it ran
};

/// Runs a session of random inputs and then, by resuming and letting time
/// pass, to its end. `acts`: half of the inputs are starts and ends of actions,
/// in any order, late, twice and forged.
random_log run_random_session(const session::routing_policy& policy,
                              std::uint32_t seed,
                              const protocol::event_gate* gate = nullptr,
                              bool acts = false);

} // namespace convene::test
