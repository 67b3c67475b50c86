#include <convene/cli/commands/load/load_answer.hpp>
#include <convene/cli/commands/load/load_facts.hpp>
#include <convene/cli/commands/load/load_page.hpp>
#include <fmt/format.h>

#include <array>
#include <functional>
#include <string_view>
#include <utility>

namespace convene::cli {
namespace {

namespace json = boost::json;
using host::load_measure;
using host::load_second;

/// Points of a line over time; of a longer load some are left out.
constexpr std::size_t points_max = 2'000;

std::optional<double> in_milliseconds(std::optional<std::uint64_t> time) {
  return time ? std::optional{static_cast<double>(*time) / 1e6} : std::nullopt;
}

using second_value = std::function<std::optional<double>(const load_second&)>;

report_series over_time(std::string name,
                        const std::vector<load_second>& seconds,
                        const second_value& value) {
  report_series made{.name = std::move(name)};
  const auto step = seconds.size() / points_max + 1;
  for (std::size_t i = 0; i < seconds.size(); i += step)
    made.points.push_back({seconds[i].at, value(seconds[i])});
  return made;
}

/// The beginning of each of several stages; those that an early end left out
/// have none.
std::vector<std::pair<double, std::string>>
marks_of(const json::object& summary, double last) {
  std::vector<std::pair<double, std::string>> marks;
  auto at = summary.at("load").at("warm_up_seconds").to_number<double>();
  const auto& stages = summary.at("stages").as_array();
  if (stages.size() < 2)
    return marks;
  for (const auto& stage : stages) {
    if (at < last)
      marks.emplace_back(at, level_of(stage));
    at += stage.at("seconds").to_number<double>();
  }
  return marks;
}

report_lines latency_over_time(const json::object& summary,
                               const std::vector<load_second>& seconds) {
  const auto line = [&](const char* name, auto member) {
    return over_time(name, seconds, [member](const load_second& one) {
      return in_milliseconds(one.*member);
    });
  };
  return {.x_name = "seconds since the load began",
          .y_name = "time",
          .y_unit = report_unit::milliseconds,
          .y_scale = report_scale::logarithmic,
          .series = {line("session p50", &load_second::session_p50),
                     line("session p99", &load_second::session_p99),
                     line("turn p50", &load_second::turn_p50),
                     line("turn p99", &load_second::turn_p99),
                     line("generator's lag p99", &load_second::lag_p99)},
          .marks = marks_of(summary, seconds.back().at),
          .levels = limits_of(summary).times};
}

report_lines throughput(const json::object& summary,
                        const std::vector<load_second>& seconds) {
  const auto line = [&](const char* name, auto member) {
    return over_time(name, seconds, [member](const load_second& one) {
      return std::optional{static_cast<double>(one.*member)};
    });
  };
  return {.x_name = "seconds since the load began",
          .y_name = "a second",
          .series
          = {line("sessions that ended", &load_second::sessions),
             line("turns", &load_second::turns),
             line("sessions that did not complete", &load_second::wrong),
             line("sessions open", &load_second::open)},
          .marks = marks_of(summary, seconds.back().at),
          .levels = limits_of(summary).rates};
}

report_lines percentiles(const host::load_figures& all, load_limits limits) {
  constexpr std::array shares{0.0,  0.1,  0.25,  0.5,   0.75,   0.9,   0.95,
                              0.98, 0.99, 0.995, 0.999, 0.9995, 0.9999};
  report_lines made{.x_name = "percentile",
                    .x_scale = report_scale::percentile,
                    .y_name = "time",
                    .y_unit = report_unit::milliseconds,
                    .y_scale = report_scale::logarithmic,
                    .series = {},
                    .levels = std::move(limits.times)};
  for (const auto what :
       {load_measure::session, load_measure::start, load_measure::turn,
        load_measure::wait, load_measure::log, load_measure::end}) {
    const auto& times = all.of(what);
    if (times.count() == 0)
      continue;
    report_series line{.name = std::string{host::to_word(what)}, .points = {}};
    for (const auto share : shares)
      line.points.push_back(
        {share * 100, in_milliseconds(times.quantile(share))});
    made.series.push_back(std::move(line));
  }
  return made;
}

report_cell cell_of(const json::value& number) {
  return number.is_null() ? report_cell{"-"}
                          : report_cell{number.to_number<double>()};
}

void add_times(report_table& table, std::string name,
               const json::value& times) {
  table.rows.push_back(
    {std::move(name), cell_of(times.at("count")), cell_of(times.at("p50_ms")),
     cell_of(times.at("p90_ms")), cell_of(times.at("p99_ms")),
     cell_of(times.at("p99.9_ms")), cell_of(times.at("p99.99_ms")),
     cell_of(times.at("max_ms"))});
}

report_table table_of_times(std::string first) {
  constexpr auto unit = report_unit::milliseconds;
  return {.columns = {{.name = std::move(first)},
                      {.name = "Count"},
                      {.name = "p50", .unit = unit},
                      {.name = "p90", .unit = unit},
                      {.name = "p99", .unit = unit},
                      {.name = "p99.9", .unit = unit},
                      {.name = "p99.99", .unit = unit},
                      {.name = "Max", .unit = unit}},
          .rows = {}};
}

report_table measure_table(const json::object& summary) {
  auto table = table_of_times("Time");
  for (const auto& [name, times] : summary.at("latency").as_object())
    if (times.at("count") != 0)
      add_times(table, std::string{name}, times);
  return table;
}

report_table stage_table(const json::array& stages) {
  auto table = table_of_times("Sessions at");
  for (const auto& one : stages)
    add_times(table, level_of(one), one.at("session"));
  return table;
}

report_table mode_table(const json::array& modes) {
  auto table = table_of_times("Turns of");
  for (const auto& one : modes)
    add_times(table, std::string{one.at("mode").as_string()},
              one.at("latency").at("turn"));
  return table;
}

report_bars error_bars(const json::value& errors) {
  report_bars bars;
  for (const auto* const kind : {"sessions", "turns"})
    for (const auto& [reason, count] : errors.at(kind).as_object())
      bars.bars.push_back(
        {.name = fmt::format("{}: {}", kind, std::string_view{reason}),
         .estimate = {.value = count.to_number<double>()},
         .tone = report_tone::bad});
  return bars;
}

} // namespace

report_page load_page(const json::object& summary,
                      const host::load_outcome& outcome) {
  report_page page{.title = "Load",
                   .subtitle = "How much is carried, how fast and how evenly",
                   .verdicts = load_verdicts(summary),
                   .facts = load_facts(summary)};
  const auto& seconds = outcome.seconds;
  page.parts.push_back(
    {.title = "Times",
     .note = "A session lasts from when it should have started until its end "
             "is reported; start: from then to its first event; turn: from "
             "being asked to the answer, time to think included; wait: from a "
             "participant's last turn to the next; log: from the last event, "
             "and end: from the last answer, until the end is reported; "
             "conflict: from detection to settlement; lag: how late the "
             "generator was. Percentiles are read from log-linear histograms "
             "and are at most 0.8 % too large; what is not measured is left "
             "out.",
     .content = measure_table(summary)});
  page.parts.push_back(
    {.title = "By percentile",
     .content = percentiles(*outcome.total, limits_of(summary))});
  if (seconds.size() > 1) {
    const auto note
      = seconds.size() > points_max
          ? "Of a second each, at its end. Some are left out; series.csv has "
            "all of them."
          : "Of each second, at its end.";
    page.parts.push_back({.title = "Latency over time",
                          .note = note,
                          .content = latency_over_time(summary, seconds)});
    page.parts.push_back({.title = "Throughput",
                          .note = note,
                          .content = throughput(summary, seconds)});
  }
  if (const auto& stages = summary.at("stages").as_array(); stages.size() > 1)
    page.parts.push_back({.title = "Stages", .content = stage_table(stages)});
  if (const auto& modes = summary.at("modes").as_array(); modes.size() > 1)
    page.parts.push_back({.title = "Modes", .content = mode_table(modes)});
  if (auto bars = error_bars(summary.at("errors")); !bars.bars.empty())
    page.parts.push_back({.title = "What went wrong", .content = bars});
  page.data = summary;
  return page;
}

} // namespace convene::cli
