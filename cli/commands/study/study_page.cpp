#include <convene/cli/commands/study/study_page.hpp>
#include <convene/cli/commands/study/study_report.hpp>
#include <convene/cli/pages/page_numbers.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/base/ascii.hpp>
#include <convene/protocol/json/members.hpp>
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
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

/// `640 ms`, `2.6 s`, `3.4 min`.
std::string lasting(double ms) {
  constexpr double second = 1e3;
  constexpr double two_minutes = 120e3;
  if (ms < second)
    return fmt::format("{:.3g} ms", ms);
  return ms < two_minutes ? fmt::format("{:.1f} s", ms / second)
                          : fmt::format("{:.1f} min", ms / (second * 60));
}

/// Whether every pair of seeds had the same value.
bool is_equal(const json::value& comparison) {
  return comparison.at("pairs") != 0
         && comparison.at("equal") == comparison.at("pairs");
}

std::string_view verdict_of(const json::value& comparison) {
  return is_equal(comparison)
           ? std::string_view{"no difference"}
           : std::string_view{comparison.at("verdict").as_string()};
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
      row.emplace_back(std::string{verdict_of(with->at(measure))});
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

/// By how much a point finished sooner or later: `1.2 s`, and `(median of 60
/// seeds; 95 %: 0.9 s to 1.5 s)`. Both are empty where that is not finite.
struct told_amount {
  std::string amount;
  std::string note;
};

told_amount amount_of(const json::value& comparison) {
  const auto told = estimate_of(told_difference("completion_ms", comparison));
  if (!told.value)
    return {};
  const double sign = *told.value < 0 ? -1 : 1;
  const auto words = [sign](std::optional<double> end) {
    if (!end)
      return std::string{"no bound"};
    const auto ms = sign * *end;
    return ms < 0 ? "\u2212" + lasting(-ms) : lasting(ms);
  };
  return {words(told.value),
          fmt::format(" (median of {} seeds; 95 %: {} to {})",
                      count_of(comparison.at("pairs")),
                      words(sign < 0 ? told.high : told.low),
                      words(sign < 0 ? told.low : told.high))};
}

/// What came out between a point and the baseline, in a sentence.
report_verdict answer_of(const std::string& name, const std::string& baseline,
                         const json::object& with) {
  const auto& completion = with.at("completion_ms");
  const auto sooner = verdict_of(completion);
  const auto conflicts = verdict_of(with.at("conflicts"));
  const auto also = conflicts == "better"  ? ", with fewer conflicts"
                    : conflicts == "worse" ? ", with more conflicts"
                                           : "";
  if (sooner == "better" || sooner == "worse") {
    const bool good = sooner == "better";
    const auto [amount, note] = amount_of(completion);
    auto how = amount.empty()
                 ? fmt::format("completed {} often", good ? "more" : "less")
                 : fmt::format("finished {} {}", amount,
                               good ? "sooner" : "later");
    return {good ? report_tone::good : report_tone::bad,
            fmt::format("{} {} than {}{}{}.", name, how, baseline, note, also)};
  }
  return {report_tone::neutral,
          fmt::format("{} and {}: no {}difference in time to completion{}.",
                      name, baseline, sooner == "no difference" ? "" : "clear ",
                      also)};
}

std::string name_of(const json::array& points, std::uint64_t number) {
  for (const auto& point : points)
    if (count_of(point.at("point")) == number)
      return std::string{point.at("name").as_string()};
  return fmt::format("point {}", number);
}

/// Two names without the key that both give a word to: `mode=pair` and
/// `mode=swarm`, but not `retries=1` and `retries=2`.
std::pair<std::string, std::string> without_key(std::string one,
                                                std::string other) {
  const auto end = one.find('=');
  const auto is_word = [end](const std::string& name) {
    return name.find('=') == name.rfind('=') && end + 1 < name.size()
           && protocol::is_lower(name[end + 1]) && !name.ends_with("=true")
           && !name.ends_with("=false");
  };
  if (end != std::string::npos && is_word(one) && is_word(other)
      && one.compare(0, end + 1, other, 0, end + 1) == 0) {
    one.erase(0, end + 1);
    other.erase(0, end + 1);
  }
  return {std::move(one), std::move(other)};
}

/// The answer first; what keeps it from being one before it.
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
  const auto baseline = name_of(points, count_of(summary.at("baseline")));
  for (const auto& point : points)
    if (const auto* with = point.at("against_baseline").if_object();
        with != nullptr && ++compared <= points_told) {
      const auto [name, other]
        = without_key(std::string{point.at("name").as_string()}, baseline);
      all.push_back(answer_of(name, other, *with));
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
               "say so; no difference if all pairs are equal; undecided "
               "otherwise.",
       .content = decided_table(points, measures)});
  if (const auto failed = count_of(summary.at("failed")); failed != 0)
    page.parts.push_back(failed_part(points, failed));
  return page;
}

} // namespace convene::cli
