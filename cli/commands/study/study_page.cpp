#include <convene/cli/commands/study/study_page.hpp>
#include <convene/cli/commands/study/study_report.hpp>
#include <convene/cli/pages/page_numbers.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/members.hpp>
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::cli {
namespace {

namespace json = boost::json;

std::string numbered(const json::value& point) {
  return fmt::format("{}: {}", count_of(point.at("point")),
                     std::string_view{point.at("name").as_string()});
}

/// What is told of a measure: the share, the median or the mean.
report_panel panel_of(std::string_view measure, const json::array& points) {
  report_panel panel{.name = std::string{measure}, .unit = unit_of(measure)};
  if (is_told_by_median(measure)) {
    panel.name += ", median";
    panel.unknown = "never";
  } else if (measure != "completed") {
    panel.name += ", mean";
  }
  for (const auto& point : points) {
    if (!has_ended(point))
      continue;
    const auto& of = point.at("measures").at(measure);
    panel.variants.emplace_back(numbered(point),
                                measure == "completed" ? estimate_of(of)
                                : is_told_by_median(measure)
                                  ? estimate_of(of.at("median"))
                                  : estimate_of(of.at("mean")));
  }
  return panel;
}

report_better better_of(const json::value& preference) {
  if (preference == "lower")
    return report_better::lower;
  return preference == "higher" ? report_better::higher
                                : report_better::neither;
}

report_panel differences_of(std::string_view measure, const json::array& points,
                            const json::object& preferences) {
  report_panel panel{.name = std::string{measure},
                     .unit = unit_of(measure),
                     .is_difference = true,
                     .better = better_of(preferences.at(measure)),
                     .unknown = is_told_by_median(measure) ? "infinite" : "?"};
  for (const auto& point : points)
    if (const auto* with = point.at("against_baseline").if_object();
        with != nullptr && with->at(measure).at("pairs") != 0)
      panel.variants.emplace_back(
        numbered(point),
        estimate_of(told_difference(measure, with->at(measure))));
  return panel;
}

report_table decided_table(const json::array& points,
                           const std::vector<std::string_view>& measures) {
  report_table table{.columns = {{.name = "Point"}}};
  for (const auto measure : measures)
    table.columns.push_back({.name = std::string{measure}});
  for (const auto& point : points) {
    const auto* with = point.at("against_baseline").if_object();
    if (with == nullptr)
      continue;
    auto& row = table.rows.emplace_back();
    row.emplace_back(numbered(point));
    for (const auto measure : measures)
      row.emplace_back(
        std::string{with->at(measure).at("verdict").as_string()});
  }
  return table;
}

report_table failed_runs(const json::array& points) {
  report_table table{.columns = {{.name = "Point"},
                                 {.name = "Seed"},
                                 {.name = "Rule", .is_code = true},
                                 {.name = "What"},
                                 {.name = "Reproduced by", .is_code = true}}};
  for (const auto& point : points)
    for (const auto& one : point.at("failures").as_array()) {
      const auto& first = one.at("findings").at(0).as_object();
      table.rows.push_back({numbered(point),
                            std::to_string(count_of(one.at("seed"))),
                            std::string{protocol::text_of(first, "rule")},
                            std::string{protocol::text_of(first, "message")},
                            std::string{one.at("command").as_string()}});
    }
  return table;
}

std::vector<report_verdict> sentences_of(const json::object& summary) {
  const auto& points = summary.at("points").as_array();
  std::vector<report_verdict> all;
  if (const auto failed = count_of(summary.at("failed")); failed != 0)
    all.push_back({report_tone::bad, plural(failed, "run") + " failed."});
  if (points.size() < summary.at("points_total").to_number<std::size_t>())
    all.push_back(
      {report_tone::bad,
       fmt::format("Only {} of {} points are finished.", points.size(),
                   summary.at("points_total").to_number<std::size_t>())});
  constexpr std::size_t points_told = 8;
  std::size_t compared = 0;
  for (const auto& point : points) {
    const auto* with = point.at("against_baseline").if_object();
    if (with == nullptr || ++compared > points_told)
      continue;
    const auto verdict = [with](std::string_view measure) {
      return std::string{with->at(measure).at("verdict").as_string()};
    };
    const auto sooner = verdict("completion_ms");
    all.push_back(
      {sooner == "better"  ? report_tone::good
       : sooner == "worse" ? report_tone::bad
                           : report_tone::neutral,
       fmt::format("Point {} against point {}: completion {}, conflicts {}.",
                   numbered(point), count_of(summary.at("baseline")), sooner,
                   verdict("conflicts"))});
  }
  if (compared > points_told)
    all.push_back({report_tone::neutral,
                   fmt::format("{} more are compared below.",
                               plural(compared - points_told, "point"))});
  return all;
}

report_part failed_part(const json::array& points, std::uint64_t failed) {
  auto told = failed_runs(points);
  const auto count = told.rows.size();
  return {.title = "Failed runs",
          .note = failed > count
                    ? fmt::format("{} of {}, the first of each point, each "
                                  "with its first finding.",
                                  count, failed)
                    : "Each with its first finding.",
          .content = std::move(told)};
}

} // namespace

report_page study_page(const json::object& summary) {
  const auto& points = summary.at("points").as_array();
  const auto& seeds = summary.at("seeds");
  report_page page{
    .title = "Study of " + std::string{summary.at("scenario").as_string()},
    .subtitle = "Variants of one scenario under the same seeds",
    .verdicts = sentences_of(summary),
    .facts
    = {{"Seeds", fmt::format("{} to {}", count_of(seeds.at("first")),
                             count_of(seeds.at("last")))},
       {"Points", std::to_string(points.size())},
       {"Runs", std::to_string(count_of(summary.at("runs")))},
       {"Digest of all logs", std::string{summary.at("digest").as_string()}}}};
  page.data = summary;
  if (points.empty())
    return page;
  std::vector<std::string_view> measures;
  report_multiples values;
  report_multiples differences;
  const auto& preferences = summary.at("better").as_object();
  for (const auto& [measure, unused] : points[0].at("measures").as_object()) {
    if (!is_told(measure, points))
      continue;
    measures.push_back(measure);
    values.panels.push_back(panel_of(measure, points));
    differences.panels.push_back(differences_of(measure, points, preferences));
  }
  const bool has_differences = !differences.panels[0].variants.empty();
  if (has_differences)
    page.parts.push_back(
      {.title = "Differences, seed by seed",
       .note = "Each point against the baseline: the median of the differences "
               "of pairs with the same seed for completion_ms, the mean for "
               "the rest. Intervals of 95 %: order statistics, and a seeded "
               "bootstrap.",
       .content = std::move(differences)});
  page.parts.push_back(
    {.title = "Measures",
     .note = "Shares with intervals by Clopper and Pearson, medians with order "
             "statistics, means with a seeded bootstrap, each 95 %. Measures "
             "that are 0 throughout are left out.",
     .content = std::move(values)});
  if (has_differences)
    page.parts.push_back(
      {.title = "What the data decides",
       .note = "Better or worse (lower or higher, where neither is better) if "
               "both the exact sign test and the interval of the difference "
               "say so.",
       .content = decided_table(points, measures)});
  if (const auto failed = count_of(summary.at("failed")); failed != 0)
    page.parts.push_back(failed_part(points, failed));
  return page;
}

} // namespace convene::cli
