#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace convene::host {

/// A number that was estimated, and an interval that covers it with a
/// confidence of 95%. What the data does not bound is unset.
struct estimate {
  std::optional<std::int64_t> value;
  std::optional<std::int64_t> low;
  std::optional<std::int64_t> high;

  bool operator==(const estimate&) const = default;
};

/// The value that the share `share` (above 0, below 1) of a distribution does
/// not exceed, from a sample in rising order of which `beyond` more values are
/// unknown and above all others. The value is the order statistic of rank
/// ceil(n * share). The interval is between two order statistics whose ranks
/// follow from the binomial distribution; it holds for any distribution.
[[nodiscard]] estimate quantile_of(const std::vector<std::int64_t>& sorted,
                                   std::size_t beyond, double share);

/// The interval of a share of which `hits` of `all` were counted, by Clopper
/// and Pearson, with a confidence of 95%.
struct share_interval {
  double low = 0;
  double high = 1;
};
[[nodiscard]] share_interval interval_of_share(std::size_t hits,
                                               std::size_t all);

} // namespace convene::host
