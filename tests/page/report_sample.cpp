// Writes a report page with every kind of chart, for report.test.mjs:
//
//     report_sample FILE [TEXT]
//
// With TEXT, that is what every text on it says. `data` has the numbers of the
// charts as they were given.
#include <boost/json/object.hpp>
#include <convene/cli/pages/report_page.hpp>

#include <cmath>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace convene::cli;

/// A wave with a step in it, and a gap.
report_series wave(std::string name, double base) {
  report_series made{.name = std::move(name)};
  for (int second = 0; second < 120; ++second) {
    const double step = second > 80 ? 1.6 : 1.0;
    made.points.push_back(
      {second * 1000.0, second == 40
                          ? std::optional<double>{}
                          : base * step * (1 + std::sin(second) / 7)});
  }
  return made;
}

report_distributions distributions() {
  report_distributions all;
  all.rows.push_back(
    {.name = "completion_ms",
     .unit = report_unit::milliseconds,
     .min = 80,
     .quantiles = {{"median", {150, 145, 155}},
                   {"p90", {225, 220, 229}},
                   {"p99", {{}, 280, {}}}},
     .bins = {{80, 100, 12}, {100, 140, 90}, {140, 180, 140}, {180, 300, 30}},
     .unknown = "never"});
  all.rows.push_back({.name = "turns",
                      .min = 12,
                      .max = 12,
                      .quantiles = {{"median", {12, 12, 12}},
                                    {"p90", {12, 12, 12}},
                                    {"p99", {12, 12, {}}}}});
  return all;
}

report_multiples multiples() {
  const auto long_name = "swarm with a name that is long, session.rounds=5";
  return {{{.name = "duration",
            .unit = report_unit::milliseconds,
            .is_difference = true,
            .better = report_better::lower,
            .variants = {{"round_robin", {1200, 900, 1500}},
                         {"orchestrated", {-300, -500, -100}},
                         {long_name, {-20, -90, 40}}}},
           {.name = "share completed",
            .unit = report_unit::share,
            .better = report_better::higher,
            .variants = {{"round_robin", {.9301, .9, .95}},
                         {"orchestrated", {1, .98, 1}},
                         {long_name, {}}}}}};
}

report_lines percentiles() {
  report_lines all{.x_name = "percentile",
                   .x_scale = report_scale::percentile,
                   .y_name = "turn latency",
                   .y_unit = report_unit::milliseconds,
                   .y_scale = report_scale::logarithmic};
  for (const auto* name : {"broadcast", "pair"}) {
    report_series one{.name = name};
    double value = 0.4 * static_cast<double>(all.series.size() + 1);
    for (const double at : {50.0, 75.0, 90.0, 99.0, 99.9, 99.99, 100.0})
      one.points.push_back({at, value *= 2.3});
    all.series.push_back(std::move(one));
  }
  return all;
}

report_page sample() {
  report_page page{.title = "Sample", .subtitle = "every kind of chart"};
  page.verdicts = {{report_tone::good, "All seeds hold."},
                   {report_tone::bad, "Three break a property."},
                   {report_tone::neutral, "Interrupted."}};
  page.facts = {{"Seeds", "1 to 1,000"}, {"Threads", "2"}};
  page.parts.push_back(
    {.title = "How sessions ended",
     .content = report_bars{
       .bars = {{"completed: plan_complete", {950}, report_tone::good},
                {"cancelled: max_turns", {47, 40, 60}, report_tone::bad},
                {"failed", {0}}}}});
  page.parts.push_back({.title = "Measures",
                        .note = "Intervals of 95 %.",
                        .content = distributions()});
  page.parts.push_back({.title = "Against broadcast", .content = multiples()});
  page.parts.push_back(
    {.title = "Latency over time",
     .content
     = report_lines{.x_name = "since the beginning",
                    .x_unit = report_unit::milliseconds,
                    .y_name = "turn latency",
                    .y_unit = report_unit::milliseconds,
                    .series = {wave("p50", 2), wave("p99", 9)},
                    .marks = {{10'000, "warm-up ends"}, {60'000, "stage 2"}},
                    .levels = {{12, "p99<12ms"}}}});
  page.parts.push_back({.title = "Percentiles", .content = percentiles()});
  page.parts.push_back(
    {.title = "Memory",
     .content = report_lines{
       .x_name = "sessions",
       .x_scale = report_scale::logarithmic,
       .y_name = "memory",
       .y_unit = report_unit::bytes,
       .series
       = {{"all", {{1, 2e6}, {100, 3.5e6}, {10'000, 9e7}, {100'000, 8e8}}}}}});
  page.parts.push_back(
    {.title = "Failures",
     .content = report_table{.columns = {{"Seed"},
                                         {"Rule", report_unit::number, true},
                                         {"Cost", report_unit::microusd}},
                             .rows = {{7.0, "calm", 1'250'000.0},
                                      {12.0, "agreed", 0.0}}}});
  page.data = boost::json::object{{"seeds", 1000}, {"share", 0.9301}};
  return page;
}

/// Every text of the page that a stranger could have chosen.
void say_everywhere(report_page& page, const std::string& text) {
  page.title = page.subtitle = text;
  for (auto& one : page.verdicts)
    one.text = text;
  for (auto& [name, value] : page.facts)
    name = value = text;
  for (auto& part : page.parts) {
    part.title = part.note = text;
    if (auto* bars = std::get_if<report_bars>(&part.content))
      for (auto& bar : bars->bars)
        bar.name = text;
    if (auto* all = std::get_if<report_distributions>(&part.content))
      for (auto& row : all->rows) {
        row.name = row.unknown = text;
        for (auto& quantile : row.quantiles)
          quantile.first = text;
      }
    if (auto* all = std::get_if<report_multiples>(&part.content))
      for (auto& panel : all->panels) {
        panel.name = panel.unknown = text;
        for (auto& variant : panel.variants)
          variant.first = text;
      }
    if (auto* lines = std::get_if<report_lines>(&part.content)) {
      lines->x_name = lines->y_name = text;
      for (auto& one : lines->series)
        one.name = text;
      for (auto& mark : lines->marks)
        mark.second = text;
      for (auto& level : lines->levels)
        level.second = text;
    }
    if (auto* table = std::get_if<report_table>(&part.content)) {
      for (auto& column : table->columns)
        column.name = text;
      for (auto& row : table->rows)
        row[1] = text;
    }
  }
  page.data = boost::json::object{{text, text}};
}

} // namespace

int main(int count, char** words) {
  if (count < 2 || count > 3) {
    std::cerr << "usage: report_sample FILE [TEXT]\n";
    return 2;
  }
  auto page = sample();
  if (count == 3)
    say_everywhere(page, words[2]);
  const auto html = to_html(page);
  if (!html) {
    std::cerr << convene::protocol::to_string(html.error()) << '\n';
    return 1;
  }
  return std::ofstream{words[1]} << *html ? 0 : 1;
}
