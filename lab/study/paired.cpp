#include <convene/actors/behaviours/draw.hpp>
#include <convene/lab/study/paired.hpp>

#include <algorithm>
#include <cmath>

namespace convene::host {
namespace {

using direction = paired_difference::direction;

/// In thousandths, which say the same on any machine.
double in_thousandths(double number) {
  constexpr double places = 1e3;
  const auto made = std::round(number * places) / places;
  return made == 0 ? 0 : made; // no -0
}

double sum_of(const std::vector<std::int64_t>& values) {
  double sum = 0;
  for (const auto value : values)
    sum += static_cast<double>(value);
  return sum;
}

std::int64_t difference_of(std::int64_t one, std::int64_t other) {
  if (one == other)
    return 0;
  if (one == never)
    return never;
  return other == never ? -never : one - other;
}

direction direction_of_signs(const paired_difference& all) {
  const auto [low, high] = interval_of_share(all.lower, all.lower + all.higher);
  if (all.lower + all.higher == 0)
    return direction::undecided;
  constexpr double half = 0.5;
  return low > half    ? direction::lower
         : high < half ? direction::higher
                       : direction::undecided;
}

direction direction_of_size(const paired_difference& all) {
  if (all.mean)
    return all.mean->high < 0  ? direction::lower
           : all.mean->low > 0 ? direction::higher
                               : direction::undecided;
  return all.median.high && *all.median.high < 0 ? direction::lower
         : all.median.low && *all.median.low > 0 ? direction::higher
                                                 : direction::undecided;
}

} // namespace

std::optional<mean_estimate> mean_of(const std::vector<std::int64_t>& values) {
  if (values.empty())
    return std::nullopt;
  const auto n = static_cast<double>(values.size());
  const auto mean = in_thousandths(sum_of(values) / n);
  if (std::ranges::all_of(values, [&](auto v) { return v == values[0]; }))
    return mean_estimate{mean, mean, mean};
  constexpr std::uint64_t seed = 0x636f6e76656e65; // the same for all
  std::vector<double> means;
  means.reserve(bootstrap_resamples);
  std::uint64_t next = 0;
  for (std::size_t i = 0; i < bootstrap_resamples; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < values.size(); ++k)
      sum += static_cast<double>(
        values[(actors::split_mix(seed, next++) >> 32) * values.size() >> 32]);
    means.push_back(sum / n);
  }
  std::ranges::sort(means);
  constexpr std::size_t beyond = bootstrap_resamples / 40; // 2.5%
  return mean_estimate{mean, in_thousandths(means[beyond - 1]),
                       in_thousandths(means[means.size() - beyond])};
}

paired_difference compare_pairs(const seed_values& variant,
                                const seed_values& baseline) {
  paired_difference made;
  std::vector<std::int64_t> all;
  bool is_finite = true;
  for (std::size_t i = 0; i < std::min(variant.size(), baseline.size()); ++i) {
    if (!variant[i] || !baseline[i])
      continue;
    const auto by = difference_of(*variant[i], *baseline[i]);
    is_finite = is_finite && by != never && by != -never;
    ++(by < 0 ? made.lower : by > 0 ? made.higher : made.equal);
    all.push_back(by);
  }
  made.pairs = all.size();
  if (is_finite)
    made.mean = mean_of(all);
  std::ranges::sort(all);
  constexpr double half = 0.5;
  made.median = quantile_of(all, 0, half);
  const auto by_signs = direction_of_signs(made);
  if (by_signs == direction_of_size(made))
    made.decided = by_signs;
  return made;
}

} // namespace convene::host
