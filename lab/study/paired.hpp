#pragma once

#include <convene/lab/simulation/order_statistics.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace convene::host {

/// A value that is above all others: what never came to an end took that long.
inline constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

/// A mean, and an interval that covers it with a confidence of 95%.
struct mean_estimate {
  double value = 0;
  double low = 0;
  double high = 0;

  bool operator==(const mean_estimate&) const = default;
};

/// One value for each seed that two variants share; unset: it has none, and the
/// seed does not count.
using seed_values = std::vector<std::optional<std::int64_t>>;

/// How the values of a variant differ from those of another, seed by seed.
struct paired_difference {
  std::size_t pairs = 0;
  std::size_t lower = 0; ///< pairs in which the variant's value is lower
  std::size_t equal = 0; ///< `never` equals `never`
  std::size_t higher = 0;
  /// Of the differences; where only one of the two values is `never`, it is
  /// `never`, or -`never`.
  estimate median;
  std::optional<mean_estimate> mean; ///< unless some are infinite

  /// What the data says with a confidence of 95%.
  enum class direction : std::uint8_t { undecided, lower, higher };
  direction decided = direction::undecided;

  bool operator==(const paired_difference&) const = default;
};

/// Compares seed by seed; both have as many. The median's interval is between
/// order statistics (`quantile_of`), the mean's by percentiles of a seeded
/// bootstrap. Decided is what both the exact sign test of the pairs that differ
/// says and the interval of the mean difference, or, if that does not exist, of
/// the median one.
[[nodiscard]] paired_difference compare_pairs(const seed_values& variant,
                                              const seed_values& baseline);

/// Resamples of a bootstrap.
inline constexpr std::size_t bootstrap_resamples = 1000;

/// The mean of values and its interval; nothing for no values.
[[nodiscard]] std::optional<mean_estimate>
mean_of(const std::vector<std::int64_t>& values);

} // namespace convene::host
