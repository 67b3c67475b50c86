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

json::value number_or_null(const std::optional<std::int64_t>& number) {
  return number ? json::value(*number) : json::value();
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
    return {{"value", nullptr}, {"low", nullptr}, {"high", nullptr}};
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  for (const auto one : values)
    sum += one;
  const auto mean = sum / n;
  if (values.size() < 2)
    return {{"value", rounded_or_null(mean)},
            {"low", nullptr},
            {"high", nullptr}};
  double squares = 0;
  for (const auto one : values)
    squares += (one - mean) * (one - mean);
  constexpr double one_side = 0.975;
  const auto half = quantile(boost::math::students_t_distribution<>{n - 1},
                             one_side)
                    * std::sqrt(squares / (n - 1) / n);
  return {{"value", rounded_or_null(mean)},
          {"low", rounded_or_null(mean - half)},
          {"high", rounded_or_null(mean + half)}};
}

} // namespace

json::object distribution_json(std::vector<std::int64_t> values,
                               std::size_t beyond) {
  std::ranges::sort(values);
  const auto quantile = [&](double share) -> json::value {
    const auto found = quantile_of(values, beyond, share);
    return {{"value", number_or_null(found.value)},
            {"low", number_or_null(found.low)},
            {"high", number_or_null(found.high)}};
  };
  const auto none = std::optional<std::int64_t>{};
  return {{"min", number_or_null(values.empty() ? none : values.front())},
          {"median", quantile(0.5)},
          {"p90", quantile(0.9)},
          {"p99", quantile(0.99)},
          {"max",
           number_or_null(values.empty() || beyond > 0 ? none : values.back())},
          {"histogram", histogram_of(values)}};
}

json::object share_json(std::size_t hits, std::size_t all) {
  const auto [low, high] = interval_of_share(hits, all);
  return {{"value", all == 0
                      ? json::value()
                      : json::value(rounded(static_cast<double>(hits)
                                            / static_cast<double>(all)))},
          {"low", rounded(low)},
          {"high", rounded(high)}};
}

json::object sample_json(std::vector<double> values) {
  auto mean = mean_of(values);
  std::ranges::sort(values);
  std::vector<std::int64_t> ranks(values.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  const auto at = [&values](const std::optional<std::int64_t>& rank) {
    return rank ? json::value(rounded(values[static_cast<std::size_t>(*rank)]))
                : json::value();
  };
  const auto quantile = [&](double share) -> json::value {
    const auto found = quantile_of(ranks, 0, share);
    return {{"value", at(found.value)},
            {"low", at(found.low)},
            {"high", at(found.high)}};
  };
  const bool any = !values.empty();
  return {{"min", any ? json::value(rounded(values.front())) : json::value()},
          {"median", quantile(0.5)},
          {"p90", quantile(0.9)},
          {"p99", quantile(0.99)},
          {"max", any ? json::value(rounded(values.back())) : json::value()},
          {"mean", std::move(mean)}};
}

} // namespace convene::host
