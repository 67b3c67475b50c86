#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

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

} // namespace convene::test
