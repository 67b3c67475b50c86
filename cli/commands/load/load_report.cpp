#include <convene/cli/commands/load/load_report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/lab/load/assertion.hpp>
#include <convene/protocol/json/members.hpp>
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace convene::cli {
namespace {

namespace json = boost::json;

std::uint64_t counted(const json::value& from, std::string_view name) {
  return from.at(name).to_number<std::uint64_t>();
}

double figure_of(const json::value& from, std::string_view name) {
  return from.at(name).to_number<double>();
}

std::string time_text(const json::value& milliseconds) {
  return milliseconds.is_null()
           ? "-"
           : host::shown_time(milliseconds.to_number<double>() * 1e6);
}

constexpr auto row = "{:<14} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n";

std::string heading(std::string_view first) {
  return fmt::format(row, first, "count", "p50", "p90", "p99", "p99.9",
                     "p99.99", "max");
}

std::string times_row(std::string_view name, const json::value& times) {
  const auto text = [&times](std::string_view of) {
    return time_text(times.at(of));
  };
  return fmt::format(row, name, counted(times, "count"), text("p50_ms"),
                     text("p90_ms"), text("p99_ms"), text("p99.9_ms"),
                     text("p99.99_ms"), text("max_ms"));
}

std::string latency_rows(const json::object& latency) {
  auto all = heading("");
  for (const auto& [name, times] : latency)
    if (times.at("count") != 0)
      all += times_row(name, times);
  return all;
}

std::string mode_rows(const json::array& modes) {
  if (modes.size() < 2)
    return {};
  std::string all = '\n' + heading("sessions of");
  for (const auto& one : modes)
    all += times_row(neutral(one.at("mode").as_string()),
                     one.at("latency").at("session"));
  all += '\n' + heading("turns of");
  for (const auto& one : modes)
    all += times_row(neutral(one.at("mode").as_string()),
                     one.at("latency").at("turn"));
  return all;
}

std::string stage_rows(const json::array& stages) {
  if (stages.size() < 2)
    return {};
  constexpr auto of_stage = "{:<18} {:>12} {:>12} {:>11} {:>11} {:>10} {:>9}\n";
  auto all = '\n'
             + fmt::format(of_stage, "stage", "sessions/s", "turns/s",
                           "session p50", "session p99", "turn p99", "lag p99");
  for (const auto& one : stages)
    all
      += fmt::format(of_stage,
                     fmt::format("{:g} {}", figure_of(one, "level"),
                                 std::string_view{one.at("unit").as_string()}),
                     fmt::format("{:.1f}", figure_of(one, "sessions_a_second")),
                     fmt::format("{:.0f}", figure_of(one, "turns_a_second")),
                     time_text(one.at("session").at("p50_ms")),
                     time_text(one.at("session").at("p99_ms")),
                     time_text(one.at("turn").at("p99_ms")),
                     time_text(one.at("lag").at("p99_ms")));
  return all;
}

std::string error_lines(const json::object& summary) {
  const auto& errors = summary.at("errors");
  std::string all;
  const auto add = [&all](std::string_view what, const json::value& share,
                          const json::object& reasons) {
    if (share.is_null() || share.to_number<double>() == 0)
      return;
    all += fmt::format("{}: {:.3g}%", what, share.to_number<double>() * 100);
    std::string_view between = ", ";
    for (const auto& [reason, count] : reasons) {
      all += fmt::format("{}{} {}", between, count.to_number<std::uint64_t>(),
                         neutral(reason));
      between = ", ";
    }
    all += '\n';
  };
  add("Sessions that did not complete", errors.at("share"),
      errors.at("sessions").as_object());
  add("Turns that failed", errors.at("turn_share"),
      errors.at("turns").as_object());
  if (const auto refused = counted(summary.at("counts"), "writes_refused");
      refused > 0)
    all += fmt::format("Writes refused: {}\n", refused);
  return all;
}

std::string use_line(const json::object& summary) {
  const auto& rates = summary.at("rates");
  constexpr double mega = 1e6;
  auto all = fmt::format(
    "{:.1f} sessions, {:.0f} turns, {:.0f} events, {:.2f} MB a second",
    figure_of(rates, "sessions_a_second"), figure_of(rates, "turns_a_second"),
    figure_of(rates, "events_a_second"),
    figure_of(rates, "bytes_a_second") / mega);
  all += fmt::format("; {:.2f} cores", figure_of(summary.at("cpu"), "cores"));
  const auto& memory = summary.at("memory");
  if (!memory.at("bytes_per_session").is_null())
    all += fmt::format("; {} bytes a session, {} a participant",
                       counted(memory, "bytes_per_session"),
                       counted(memory, "bytes_per_participant"));
  return all + '\n';
}

std::string verdict_lines(const json::object& summary) {
  std::string all;
  if (summary.at("interrupted").as_bool())
    all += "Interrupted: these are the results so far\n";
  if (const auto& why = summary.at("aborted"); !why.is_null())
    all += fmt::format("Ended early: {}\n", neutral(why.as_string()));
  for (const auto& one : summary.at("assertions").as_array())
    all += fmt::format("{} {}: {}\n", neutral(one.at("text").as_string()),
                       one.at("holds").as_bool() ? "holds" : "does not hold",
                       neutral(one.at("observed").as_string()));
  if (const auto* baseline = summary.if_contains("baseline")) {
    const auto& worse = baseline->at("worse").as_array();
    if (worse.empty())
      all += "Nothing is worse than in the baseline\n";
    for (const auto& one : worse)
      all
        += fmt::format("Worse than in the baseline: {} was {:g} and is {:g}\n",
                       std::string_view{one.at("figure").as_string()},
                       figure_of(one, "before"), figure_of(one, "now"));
  }
  if (!summary.at("valid").as_bool())
    all += "Not valid: the generator was late by more than a tenth of what it "
           "measured (lag p99 against session p99), or left sessions out, so "
           "it measured itself; lower the load, or give it a core\n";
  return all;
}

} // namespace

std::string load_text(const json::object& summary) {
  const auto& counts = summary.at("counts");
  const auto& load = summary.at("load");
  return fmt::format(
           "{} loop on {}: {} completed, {} cancelled, {} failed in {:.1f} s, "
           "{} unfinished\n",
           load.at("loop") == "open" ? "Open" : "Closed",
           load.at("on") == "server" ? "a server" : "this process",
           plural(counted(counts, "completed"), "session"),
           counted(counts, "cancelled"), counted(counts, "failed"),
           figure_of(summary, "seconds"), counted(summary, "unfinished"))
         + use_line(summary) + '\n'
         + latency_rows(summary.at("latency").as_object())
         + mode_rows(summary.at("modes").as_array())
         + stage_rows(summary.at("stages").as_array()) + error_lines(summary)
         + verdict_lines(summary);
}

} // namespace convene::cli
