#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

namespace convene::bench {

/// How much work so many threads did in a second.
struct scaling_point {
  double threads = 1;
  double rate = 0;
};

/// Gunther's Universal Scalability Law: n threads do
/// n / (1 + serial (n - 1) + coherence n (n - 1)) times the work of one.
/// Without coherence it is Amdahl's law.
struct scaling_model {
  double serial = 0;    ///< share of the work that only one thread does at once
  double coherence = 0; ///< what each pair of threads costs each other

  [[nodiscard]] double speedup(double threads) const {
    return threads
           / (1 + serial * (threads - 1) + coherence * threads * (threads - 1));
  }

  /// The number of threads beyond which more do less; none: more never do.
  [[nodiscard]] std::optional<double> fastest() const {
    if (coherence <= 0)
      return std::nullopt;
    return std::sqrt(std::max(1 - serial, 0.0) / coherence);
  }
};

enum class scaling_law { amdahl, usl };

/// Least squares for n X(1) / X(n) - 1, which is linear in the parameters; none
/// of them is below 0. Nothing if one thread was not measured, or fewer points
/// with more threads than the law has parameters.
[[nodiscard]] inline std::optional<scaling_model>
fit(std::span<const scaling_point> points, scaling_law law) {
  const auto one = std::ranges::find(points, 1.0, &scaling_point::threads);
  if (one == points.end())
    return std::nullopt;
  double aa = 0;
  double ab = 0;
  double bb = 0;
  double ay = 0;
  double by = 0;
  for (const auto& [n, rate] : points) {
    if (n <= 1)
      continue;
    const double a = n - 1;
    const double b = n * (n - 1);
    const double y = n * one->rate / rate - 1;
    aa += a * a;
    ab += a * b;
    bb += b * b;
    ay += a * y;
    by += b * y;
  }
  if (aa == 0) // no point with more threads
    return std::nullopt;
  const scaling_model amdahl{.serial = std::max(ay / aa, 0.0)};
  if (law == scaling_law::amdahl)
    return amdahl;
  const double determinant = aa * bb - ab * ab;
  if (determinant <= 0) // all with the same number of threads
    return std::nullopt;
  const scaling_model both{.serial = (ay * bb - by * ab) / determinant,
                           .coherence = (by * aa - ay * ab) / determinant};
  if (both.coherence < 0)
    return amdahl;
  if (both.serial < 0)
    return scaling_model{.coherence = std::max(by / bb, 0.0)};
  return both;
}

} // namespace convene::bench
