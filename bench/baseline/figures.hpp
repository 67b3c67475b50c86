#pragma once

// How benchmarks measure and sum up, the same in all of them.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

namespace convene::bench {

inline double seconds(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  const auto took = std::chrono::steady_clock::now() - begin;
  return std::chrono::duration<double>(took).count();
}

inline double median(std::vector<double> all) {
  std::ranges::sort(all);
  return all[all.size() / 2];
}

/// The median of the ratios of each round: what disturbs a round disturbs both.
inline double ratio(const std::vector<double>& these,
                    const std::vector<double>& those) {
  std::vector<double> all;
  for (std::size_t i = 0; i < these.size(); ++i)
    all.push_back(these[i] / those[i]);
  return median(std::move(all));
}

} // namespace convene::bench
