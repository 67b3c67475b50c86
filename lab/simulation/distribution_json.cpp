#include <boost/math/distributions/students_t.hpp>
#include <convene/lab/simulation/distribution_json.hpp>
#include <convene/lab/simulation/order_statistics.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

namespace convene::host {

namespace json = boost::json;

namespace {

json::object estimate_json(json::value value, json::value low,
                           json::value high) {
  return {{"value", std::move(value)},
          {"low", std::move(low)},
          {"high", std::move(high)}};
}

/// Of sorted values; `show` says what a rank or a value in `ranked` is.
json::object quantiles_json(const std::vector<std::int64_t>& ranked,
                            std::size_t beyond, const auto& show) {
  const auto quantile = [&](double share) -> json::value {
    const auto found = quantile_of(ranked, beyond, share);
    return estimate_json(show(found.value), show(found.low), show(found.high));
  };
  const auto at = [&](bool there, std::size_t rank) {
    return show(there ? std::optional{ranked[rank]} : std::nullopt);
  };
  const bool any = !ranked.empty();
  return {{"min", at(any, 0)},
          {"median", quantile(0.5)},
          {"p90", quantile(0.9)},
          {"p99", quantile(0.99)},
          {"max", at(any && beyond == 0, ranked.size() - 1)}};
}

/// How many values are from `from` up to and with `to`, in bars as wide as each
/// other but for the last.
json::array histogram_of(const std::vector<std::int64_t>& sorted) {
  constexpr std::int64_t bars_max = 24;
  json::array bars;
  if (sorted.empty())
    return bars;
  const auto last = sorted.back();
  const auto width = (last - sorted.front()) / bars_max + 1;
  auto from = sorted.front();
  for (auto at = sorted.begin(); at != sorted.end();) {
    const auto to = last - from < width ? last : from + width - 1;
    const auto next = std::upper_bound(at, sorted.end(), to);
    bars.push_back({{"from", from}, {"to", to}, {"seeds", next - at}});
    at = next;
    from = to == last ? last : to + 1;
  }
  return bars;
}

/// In millionths, which say the same on any machine. Of 2^53 and more there are
/// none to round to.
double rounded(double number) {
  constexpr double places = 1e6;
  constexpr double whole = 9007199254740992;
  return std::abs(number) < whole ? std::round(number * places) / places
                                  : number;
}

/// What is too large to be told is not known; JSON has no infinity.
json::value rounded_or_null(double number) {
  return std::isfinite(number) ? json::value(rounded(number)) : json::value();
}

/// The mean, with the interval of a normal distribution's: for many values, of
/// any distribution's.
json::object mean_of(const std::vector<double>& values) {
  if (values.empty())
    return estimate_json(nullptr, nullptr, nullptr);
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  for (const auto one : values)
    sum += one;
  const auto mean = sum / n;
  if (values.size() < 2)
    return estimate_json(rounded_or_null(mean), nullptr, nullptr);
  double squares = 0;
  for (const auto one : values)
    squares += (one - mean) * (one - mean);
  constexpr double one_side = 0.975;
  const auto half = quantile(boost::math::students_t_distribution<>{n - 1},
                             one_side)
                    * std::sqrt(squares / (n - 1) / n);
  return estimate_json(rounded_or_null(mean), rounded_or_null(mean - half),
                       rounded_or_null(mean + half));
}

} // namespace

json::object distribution_json(std::vector<std::int64_t> values,
                               std::size_t beyond) {
  std::ranges::sort(values);
  auto made
    = quantiles_json(values, beyond, [](std::optional<std::int64_t> number) {
        return number ? json::value(*number) : json::value();
      });
  made.emplace("histogram", histogram_of(values));
  return made;
}

json::object share_json(std::size_t hits, std::size_t all) {
  const auto [low, high] = interval_of_share(hits, all);
  return estimate_json(all == 0
                         ? json::value()
                         : json::value(rounded(static_cast<double>(hits)
                                               / static_cast<double>(all))),
                       rounded(low), rounded(high));
}

json::object sample_json(std::vector<double> values) {
  auto mean = mean_of(values);
  std::ranges::sort(values);
  std::vector<std::int64_t> ranks(values.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  auto made = quantiles_json(ranks, 0, [&](std::optional<std::int64_t> rank) {
    return rank ? json::value(rounded(values[static_cast<std::size_t>(*rank)]))
                : json::value();
  });
  made.emplace("mean", std::move(mean));
  return made;
}

} // namespace convene::host
