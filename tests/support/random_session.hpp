#pragma once

#include <convene/session/machine.hpp>
#include <support/specs.hpp>

#include <random>
#include <string>
#include <vector>

// Sessions that nobody planned: random scenarios and random inputs, the same
// for the same seed on every machine and in every build.

namespace convene::test {

/// Whole numbers from a seed. Not std:: distributions, which differ.
class dice {
public:
  explicit dice(std::uint32_t seed) : engine_(seed) {
    engine_.discard(8);
  }

  /// From 0 to `bound` - 1.
  std::uint32_t below(std::size_t bound) {
    return static_cast<std::uint32_t>((engine_() >> 8) % bound);
  }
  bool chance(unsigned percent) {
    return below(100) < percent;
  }
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[below(all.size())];
  }

private:
  std::mt19937 engine_; // its numbers are the standard's
};

session::spec random_spec(dice& d, const session::routing_policy& policy);

/// What came of a random session.
struct random_log {
  std::vector<std::string> lines;
  std::vector<std::string> broken; ///< what went wrong while it ran
};

/// Runs a session of random inputs and then, by resuming and letting time
/// pass, to its end.
random_log run_random_session(const session::routing_policy& policy,
                              std::uint32_t seed);

} // namespace convene::test
