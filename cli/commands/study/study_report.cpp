#include <convene/cli/commands/study/study_report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/members.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace convene::cli {
namespace {

namespace json = boost::json;

std::string number_text(const json::value& number) {
  if (number.is_null())
    return "?";
  if (const auto* text = number.if_string())
    return *text == "infinity" ? "never" : "from never";
  if (const auto* real = number.if_double())
    return fmt::format("{:.6g}", *real);
  return std::to_string(number.to_number<std::int64_t>());
}

/// `12 (10..15)`; of nothing, null has no interval either.
std::string interval_text(const json::value& of, std::string_view unknown) {
  if (of.is_null())
    return "? (?..?)";
  const auto& value = of.at("value");
  return fmt::format("{} ({}..{})",
                     value.is_null() ? std::string{unknown}
                                     : number_text(value),
                     number_text(of.at("low")), number_text(of.at("high")));
}

std::string percent_text(const json::value& of) {
  const auto percent = [&of](std::string_view name) {
    const auto& share = of.at(name);
    return share.is_null()
             ? std::string{"?"}
             : fmt::format("{:.1f}", 100 * share.to_number<double>());
  };
  if (of.at("value").is_null())
    return "?";
  return fmt::format("{}% ({}..{})", percent("value"), percent("low"),
                     percent("high"));
}

std::string value_text(std::string_view measure, const json::value& point) {
  const auto& of = point.at("measures").at(measure);
  if (measure == "completed")
    return percent_text(of);
  return is_told_by_median(measure)
           ? interval_text(of.at("median"), has_ended(point) ? "never" : "?")
           : interval_text(of.at("mean"), "?");
}

std::string row_of(std::string_view measure, const json::value& point,
                   std::size_t columns) {
  const auto& compared = point.at("against_baseline");
  const auto* with = compared.if_object();
  auto row = fmt::format("  {:>4}  {}  {:>24}",
                         point.at("point").to_number<std::uint64_t>(),
                         column(neutral(point.at("name").as_string()), columns),
                         value_text(measure, point));
  if (with != nullptr) {
    const auto& one = with->at(measure);
    row += fmt::format("  {:>28}  {:>5} {:>5} {:>5}  {}",
                       interval_text(told_difference(measure, one), "?"),
                       one.at("lower").to_number<std::uint64_t>(),
                       one.at("equal").to_number<std::uint64_t>(),
                       one.at("higher").to_number<std::uint64_t>(),
                       std::string_view{one.at("verdict").as_string()});
  }
  return row + '\n';
}

std::string table_of(std::string_view measure, const json::array& points,
                     std::size_t columns) {
  const bool medians = is_told_by_median(measure);
  auto all
    = fmt::format("\n{}\n  {:>4}  {}  {:>24}  {:>28}  {:>5} {:>5} {:>5}\n",
                  measure, "", column("", columns),
                  measure == "completed" ? "share (95%)"
                  : medians              ? "median (95%)"
                                         : "mean (95%)",
                  medians ? "paired, median (95%)" : "paired, mean (95%)",
                  "lower", "equal", "higher");
  for (const auto& point : points)
    all += row_of(measure, point, columns);
  return all;
}

std::string failures_text(const json::array& points) {
  std::string all;
  for (const auto& point : points)
    for (const auto& one : point.at("failures").as_array()) {
      const auto& first = one.at("findings").at(0).as_object();
      all += fmt::format("point {}, seed {}: {}: {}\n  {}\n",
                         point.at("point").to_number<std::uint64_t>(),
                         one.at("seed").to_number<std::uint64_t>(),
                         neutral(protocol::text_of(first, "rule")),
                         neutral(protocol::text_of(first, "message")),
                         neutral(one.at("command").as_string()));
    }
  return all;
}

std::string properties_text(const json::array& points) {
  std::string all;
  for (const auto& point : points)
    for (const auto& one : point.at("properties").as_array())
      if (const auto failed = one.at("failed").to_number<std::uint64_t>();
          failed != 0)
        all += fmt::format("point {}: property {}: broken by {}, {}\n",
                           point.at("point").to_number<std::uint64_t>(),
                           neutral(one.at("name").as_string()),
                           plural(failed, "run"),
                           percent_text(one.at("share")));
  return all;
}

std::string quoted(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos)
    return std::string{text};
  std::string made = "\"";
  for (const char c : text) {
    made += c;
    if (c == '"')
      made += c;
  }
  return made + '"';
}

std::string cell(const json::value& number) {
  if (number.is_null())
    return {};
  if (const auto* text = number.if_string())
    return std::string{*text};
  return number_text(number);
}

std::string cells(const json::value& estimate) {
  if (estimate.is_null())
    return ",,";
  return cell(estimate.at("value")) + ',' + cell(estimate.at("low")) + ','
         + cell(estimate.at("high"));
}

std::string csv_row(const json::value& point, std::string_view measure,
                    const json::value& of) {
  auto row = fmt::format("{},{},{},", point.at("point").to_number<int>(),
                         quoted(point.at("name").as_string()), measure);
  const bool is_share = measure == "completed";
  row += is_share ? cells(of) + ",,,"
                  : cells(of.at("mean")) + ',' + cells(of.at("median"));
  const auto* with = point.at("against_baseline").if_object();
  if (with == nullptr)
    return row + ",,,,,,,,,,\n";
  const auto& one = with->at(measure);
  for (const std::string_view count : {"lower", "equal", "higher"})
    row += ',' + cell(one.at(count));
  return row + ',' + cells(one.at("mean")) + ',' + cells(one.at("median")) + ','
         + std::string{one.at("verdict").as_string()} + '\n';
}

} // namespace

bool is_told_by_median(std::string_view measure) {
  return measure == "completion_ms";
}

const json::value& told_difference(std::string_view measure,
                                   const json::value& comparison) {
  const auto& mean = comparison.at("mean");
  return is_told_by_median(measure) || mean.is_null() ? comparison.at("median")
                                                      : mean;
}

bool has_ended(const json::value& point) {
  return point.at("completed") != 0 || point.at("cancelled") != 0;
}

bool is_told(std::string_view measure, const json::array& points) {
  return measure == "completed"
         || std::ranges::any_of(points, [measure](const json::value& point) {
              const auto& most = point.at("measures").at(measure).at("max");
              return most.is_null() || most != 0;
            });
}

std::string study_text(const json::object& summary) {
  const auto& points = summary.at("points").as_array();
  const auto count = [&summary](std::string_view name) {
    return summary.at(name).to_number<std::uint64_t>();
  };
  auto all = fmt::format(
    "{} of {} finished: {}, {} failed; compared with point {}, seed by seed\n",
    points.size(), plural(count("points_total"), "point"),
    plural(count("runs"), "run"), count("failed"), count("baseline"));
  if (points.empty())
    return all;
  std::size_t columns = 0;
  constexpr std::size_t columns_max = 40;
  for (const auto& point : points)
    columns = std::max(columns, width(neutral(point.at("name").as_string())));
  columns = std::min(columns, columns_max);
  for (const auto& [measure, unused] : points[0].at("measures").as_object())
    if (is_told(measure, points))
      all += table_of(measure, points, columns);
  return all + properties_text(points) + failures_text(points);
}

std::string study_csv(const json::object& summary) {
  std::string all
    = "point,name,measure,mean,mean_low,mean_high,median,median_low,"
      "median_high,pairs_lower,pairs_equal,pairs_higher,"
      "difference_mean,difference_mean_low,difference_mean_high,"
      "difference_median,difference_median_low,difference_median_high,"
      "verdict\n";
  for (const auto& point : summary.at("points").as_array())
    for (const auto& [measure, of] : point.at("measures").as_object())
      all += csv_row(point, measure, of);
  return all;
}

} // namespace convene::cli
