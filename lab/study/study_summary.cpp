#include <convene/lab/simulation/distribution_json.hpp>
#include <convene/lab/study/study_summary.hpp>
#include <convene/runtime/log/digest/digest.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

namespace convene::host {
namespace {

namespace json = boost::json;

using direction = paired_difference::direction;

preference preference_of(std::string_view name) {
  // How long, how many turns and messages it took says nothing of what came
  // out, unless it completed.
  constexpr std::array<std::string_view, 4> neither{"duration_ms", "turns",
                                                    "broadcasts", "handoffs"};
  return std::ranges::find(neither, name) == neither.end() ? preference::lower
                                                           : preference::none;
}

json::value difference_json(const std::optional<std::int64_t>& number) {
  if (!number)
    return nullptr;
  if (*number == never)
    return "infinity";
  if (*number == -never)
    return "-infinity";
  return *number;
}

json::value mean_json(const std::optional<mean_estimate>& mean) {
  if (!mean)
    return nullptr;
  return {{"value", mean->value}, {"low", mean->low}, {"high", mean->high}};
}

std::string_view verdict_of(direction decided, preference better) {
  if (decided == direction::undecided)
    return "undecided";
  const bool is_lower = decided == direction::lower;
  if (better == preference::none)
    return is_lower ? "lower" : "higher";
  return is_lower == (better == preference::lower) ? "better" : "worse";
}

json::object preferences(const std::vector<compared_measure>& measures) {
  json::object made;
  for (const auto& [name, better, is_own] : measures)
    made.emplace(name, better == preference::lower    ? "lower"
                       : better == preference::higher ? "higher"
                                                      : "neither");
  return made;
}

/// A measure of the user's own is counted in millionths: what is told of it is
/// in ones.
json::value in_ones(json::value told) {
  if (const auto* number = told.if_int64())
    return static_cast<double>(*number) / 1e6;
  if (const auto* number = told.if_double())
    return *number / 1e6;
  if (auto* object = told.if_object())
    for (auto& member : *object)
      member.value() = in_ones(std::move(member.value()));
  return told;
}

json::object comparison_of(const point_result& point, const point_result& with,
                           const compared_measure& by) {
  const auto found = compare_pairs(point.values_of(by.name),
                                   with.values_of(by.name));
  json::value median{{"value", difference_json(found.median.value)},
                     {"low", difference_json(found.median.low)},
                     {"high", difference_json(found.median.high)}};
  auto mean = mean_json(found.mean);
  if (by.is_own) {
    median = in_ones(std::move(median));
    mean = in_ones(std::move(mean));
  }
  return {{"pairs", found.pairs},
          {"lower", found.lower},
          {"equal", found.equal},
          {"higher", found.higher},
          {"median", std::move(median)},
          {"mean", std::move(mean)},
          {"verdict", verdict_of(found.decided, by.better)}};
}

/// Without the histogram: with each point it would be too much.
json::object spread_of(std::vector<std::int64_t> values,
                       std::size_t beyond = 0) {
  auto made = distribution_json(std::move(values), beyond);
  made.erase("histogram");
  return made;
}

json::object measure_of(const point_result& point, const compared_measure& by) {
  std::vector<std::int64_t> values;
  std::size_t beyond = 0;
  std::size_t unmeasured = 0;
  const auto all = point.values_of(by.name);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] && *all[i] == never)
      ++beyond;
    else if (all[i])
      values.push_back(*all[i]);
    else if (point.ends[i] != 'f')
      ++unmeasured;
  }
  json::object made{
    {"mean", beyond > 0 ? json::value() : mean_json(mean_of(values))}};
  for (auto& member : spread_of(std::move(values), beyond))
    made.emplace(member.key(), std::move(member.value()));
  if (!by.is_own)
    return made;
  for (auto& member : made)
    member.value() = in_ones(std::move(member.value()));
  made.emplace("unmeasured", unmeasured);
  return made;
}

json::object unfinished_of(const point_result& point) {
  std::vector<std::int64_t> censored;
  const auto sum = [](const seed_values& all) {
    return std::accumulate(all.begin(), all.end(), std::int64_t{0},
                           [](auto so_far, const auto& one) {
                             return so_far + one.value_or(0);
                           });
  };
  const auto durations = point.values_of("duration_ms");
  for (std::size_t i = 0; i < durations.size(); ++i)
    if (point.ends[i] == 'x')
      censored.push_back(durations[i].value_or(0));
  const auto seeds = censored.size();
  return {{"seeds", seeds},
          {"share", share_json(seeds, point.count('c') + seeds)},
          {"censored_ms", spread_of(std::move(censored))},
          {"steps", sum(point.values_of("steps"))},
          {"steps_open", sum(point.values_of("steps_open"))}};
}

json::object point_json(std::size_t number, const study_point& point,
                        const std::vector<compared_measure>& all,
                        const point_result& found, const point_result* with) {
  json::object measures;
  json::object compared;
  for (const auto& by : all) {
    if (by.name == "completed")
      measures.emplace(by.name,
                       share_json(found.count('c'),
                                  found.count('c') + found.count('x')));
    else
      measures.emplace(by.name, measure_of(found, by));
    if (with != nullptr)
      compared.emplace(by.name, comparison_of(found, *with, by));
  }
  return {{"point", number},
          {"name", name_of(point)},
          {"vary", point.vary},
          {"completed", found.count('c')},
          {"cancelled", found.count('x')},
          {"failed", found.failed},
          {"outcomes", found.outcomes},
          {"measures", std::move(measures)},
          {"against_baseline",
           with == nullptr ? json::value() : json::value(std::move(compared))},
          {"unfinished", unfinished_of(found)},
          {"properties", found.properties},
          {"digest", found.digest},
          {"failures", found.failures}};
}

} // namespace

std::vector<compared_measure> compared_measures(const study& what) {
  std::vector<compared_measure> all{{"completed", preference::higher},
                                    {"completion_ms", preference::lower}};
  for (const auto& [name, unused] : named_measures)
    all.push_back({std::string{name}, preference_of(name)});
  // Whether less or more of it is better, its user knows.
  for (const auto& own : what.each.measures)
    all.push_back({own.name, preference::none, true});
  return all;
}

json::object summarise(const study& what, const std::vector<point_result>& all,
                       std::size_t baseline) {
  json::array points;
  std::size_t failed = 0;
  std::size_t runs = 0;
  std::string digests;
  const auto measures = compared_measures(what);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_compared = i + 1 != baseline && baseline <= all.size();
    points.push_back(point_json(i + 1, what.points[i], measures, all[i],
                                is_compared ? &all[baseline - 1] : nullptr));
    failed += all[i].failed;
    runs += all[i].ends.size();
    digests += all[i].digest;
  }
  return {{"seeds", {{"first", what.first}, {"last", what.last}}},
          {"points_total", what.points.size()},
          {"better", preferences(measures)},
          {"baseline", baseline},
          {"runs", runs},
          {"failed", failed},
          {"points", std::move(points)},
          {"methods",
           {{"confidence", 0.95},
            {"draws",
             "common random numbers, by seed, purpose, place of the task and "
             "attempt"},
            {"quantiles", "order statistics, intervals by binomial ranks"},
            {"shares", "intervals by Clopper and Pearson"},
            {"means", "intervals by percentiles of a seeded bootstrap, "
                        + std::to_string(bootstrap_resamples) + " resamples"},
            {"differences", "of pairs with the same seed"},
            {"verdict",
             "exact sign test of the pairs that differ, and the interval "
             "of the mean difference (of the median one where some are "
             "infinite): both have to say so"}}},
          {"digest", hex_digest_of(digests)}};
}

} // namespace convene::host
