#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace convene::cli {

/// How the page writes a number.
enum class report_unit : std::uint8_t {
  number,       ///< 1,234 or 0.123
  share,        ///< 0 to 1, written as percent
  milliseconds, ///< as µs, ms, s, min or h
  bytes,        ///< as bytes, KiB, MiB or GiB
  microusd,     ///< as US dollars
};

/// A value and the interval that covers it. What is left out is not known; an
/// end that is left out is open. Numbers that are not finite or beyond 1e100
/// count as left out.
struct report_estimate {
  std::optional<double> value{};
  std::optional<double> low{};
  std::optional<double> high{};
  /// Of a value that is left out because it is infinite: its sign.
  int infinite = 0;
};

/// How many of the values are from `from` to `to`, in the distribution's unit.
struct report_bin {
  double from = 0;
  double to = 0;
  double count = 0;
};

/// How one measure is distributed. Each has an axis of its own.
struct report_distribution {
  std::string name;
  report_unit unit = report_unit::number;
  std::optional<double> min{};
  std::optional<double> max{};
  /// Named, such as median, p90 and p99; in the table in this order.
  std::vector<std::pair<std::string, report_estimate>> quantiles;
  std::vector<report_bin> bins{}; ///< drawn as a histogram; may be empty
  std::string unknown = "?";      ///< stands for a value that is left out
};

/// A table of distributions, and a chart of each.
struct report_distributions {
  std::vector<report_distribution> rows;
};

/// Which values are good news.
enum class report_better : std::uint8_t { neither, lower, higher };

/// One measure of several variants: a point with its interval for each.
struct report_panel {
  std::string name;
  report_unit unit = report_unit::number;
  /// Values are differences from some other variant: they are written with
  /// their sign, there is a line at zero, and an interval that leaves it out is
  /// marked as better or worse.
  bool is_difference = false;
  report_better better = report_better::neither;
  std::vector<std::pair<std::string, report_estimate>> variants;
  std::string unknown = "?";
};

/// Small multiples: panels side by side. The table has a row for each variant
/// and a column for each panel.
struct report_multiples {
  std::vector<report_panel> panels;
};

/// How an axis places its numbers.
enum class report_scale : std::uint8_t {
  linear,      ///< a vertical one begins at 0 or below
  logarithmic, ///< numbers that are not above 0 are in the table only
  percentile,  ///< of x alone, from 0 to below 100: as far apart are p90, p99,
               ///< p99.9 and so on
};

/// A number of a line; a `y` that is left out is a gap.
struct report_point {
  double x = 0;
  std::optional<double> y{};
};

/// Points in ascending order of x.
struct report_series {
  std::string name;
  std::vector<report_point> points;
};

/// Lines over time, over percentiles, or over anything else. The table has a
/// row for each x and a column for each series.
struct report_lines {
  std::string x_name;
  report_unit x_unit = report_unit::number;
  report_scale x_scale = report_scale::linear;
  std::string y_name;
  report_unit y_unit = report_unit::number;
  report_scale y_scale = report_scale::linear;
  std::vector<report_series> series;
  /// What happened at an x, as a line across: the end of a warm-up, a stage.
  std::vector<std::pair<double, std::string>> marks{};
  /// What y is compared to, as a line along: a limit.
  std::vector<std::pair<double, std::string>> levels{};
};

/// Whether something is as it should be.
enum class report_tone : std::uint8_t { neutral, good, bad };

struct report_bar {
  std::string name;
  report_estimate estimate; ///< at least 0
  report_tone tone = report_tone::neutral;
};

/// Horizontal bars from 0 on, by reason or anything else.
struct report_bars {
  report_unit unit = report_unit::number;
  std::vector<report_bar> bars;
};

struct report_column {
  std::string name;
  report_unit unit = report_unit::number; ///< of its numbers
  bool is_code = false;                   ///< its text: commands, ids, rules
  bool is_link = false; ///< its text: pages, by their names beside this one
};

/// Text, or a number in the column's unit.
using report_cell = std::variant<std::string, double>;

struct report_table {
  std::vector<report_column> columns;
  std::vector<std::vector<report_cell>> rows; ///< as long as `columns`
};

/// A section of the page.
struct report_part {
  std::string title; ///< a few words
  std::string note; ///< what the numbers are, and by which method; may be empty
  std::variant<report_distributions, report_multiples, report_lines,
               report_bars, report_table>
    content;
};

/// A sentence that says what came out, above everything else.
struct report_verdict {
  report_tone tone = report_tone::neutral;
  std::string text;
};

/// What a report says: a page of one file, which asks nobody, made by
/// to_html(). All text is plain text from anywhere, also hostile; it never
/// becomes markup, and what is no UTF-8 in it is replaced.
///
///     report_page page{.title = "Simulation", .subtitle = path};
///     page.facts = {{"Seeds", "1 to 1000"}};
///     page.verdicts = {{report_tone::good, "All 1,000 seeds hold."}};
///     page.parts.push_back(
///       {.title = "How sessions ended",
///        .content = report_bars{
///          .bars = {{.name = "completed", .estimate = {.value = 1000},
///                    .tone = report_tone::good}}}});
///     page.data = summary; // what --json prints
///     const auto html = to_html(page);
///
/// Each chart has its numbers in a table below it. A table's cell that has a
/// number has it unrounded in its attribute `data-value`, an estimate also
/// `data-low` and `data-high`; `data` is on the page as text, in the element
/// `data`. So a test can compare them.
struct report_page {
  std::string title;
  std::string subtitle{};
  std::vector<report_verdict> verdicts{};
  std::vector<std::pair<std::string, std::string>> facts{}; ///< name, value
  std::vector<report_part> parts{};
  boost::json::value data{}; ///< what the report was made of
};

/// The most bytes that a page's numbers and text take as JSON, and its `data`.
inline constexpr std::size_t report_bytes_max = std::size_t{32} << 20U;

/// The page's HTML. Fails with errc::limit_reached, rule `report_bytes_max`.
[[nodiscard]] protocol::result<std::string>
to_html(const report_page& page, std::size_t bytes_max = report_bytes_max);

} // namespace convene::cli
