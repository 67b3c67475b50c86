#include <boost/math/distributions/binomial.hpp>
#include <convene/lab/simulation/order_statistics.hpp>

#include <algorithm>
#include <cmath>

namespace convene::host {
namespace {

using boost::math::binomial_distribution;

constexpr double one_side = 0.025; ///< of what a confidence of 95% leaves

} // namespace

estimate quantile_of(const std::vector<std::int64_t>& sorted,
                     std::size_t beyond, double share) {
  const auto count = sorted.size() + beyond;
  if (count == 0)
    return {};
  const auto at_rank = [&sorted](std::size_t rank) {
    return rank >= 1 && rank <= sorted.size() ? std::optional{sorted[rank - 1]}
                                              : std::nullopt;
  };
  const auto n = static_cast<double>(count);
  const binomial_distribution<> below{n, share};
  // How many of n values are at most the quantile: fewer than `low_rank` with
  // at most 2.5%, and `high_rank` or more with at most 2.5%.
  const auto rank_where = [&](double probability, bool or_equal) {
    std::size_t low = 0;
    for (auto high = count; low < high;) {
      const auto middle = low + (high - low) / 2;
      const auto p = cdf(below, static_cast<double>(middle));
      if (or_equal ? p <= probability : p < probability)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  };
  const auto low_rank = rank_where(one_side, true);
  const auto high_rank = rank_where(1 - one_side, false) + 1;
  const auto rank = std::clamp<std::size_t>(
    static_cast<std::size_t>(std::ceil(n * share)), 1, count);
  return {at_rank(rank), at_rank(low_rank), at_rank(high_rank)};
}

share_interval interval_of_share(std::size_t hits, std::size_t all) {
  if (all == 0)
    return {};
  const auto n = static_cast<double>(all);
  const auto k = static_cast<double>(hits);
  return {hits == 0
            ? 0
            : binomial_distribution<>::find_lower_bound_on_p(n, k, one_side),
          hits == all
            ? 1
            : binomial_distribution<>::find_upper_bound_on_p(n, k, one_side)};
}

} // namespace convene::host
