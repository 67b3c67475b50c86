#include <convene/cli/commands/simulate/fault_page.hpp>
#include <convene/cli/commands/simulate/simulation_page.hpp>
#include <convene/cli/pages/page_numbers.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/members.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::cli {
namespace {

namespace json = boost::json;

std::string words_of(const json::value& text) {
  return std::string{text.as_string()};
}

report_distribution distribution(std::string_view name, const json::value& of) {
  report_distribution made{.name = std::string{name},
                           .unit = unit_of(name),
                           .min = number_of(of.at("min")),
                           .max = number_of(of.at("max")),
                           .quantiles
                           = {{"median", estimate_of(of.at("median"))},
                              {"p90", estimate_of(of.at("p90"))},
                              {"p99", estimate_of(of.at("p99"))}},
                           .unknown = name == "completion_ms" ? "never" : "?"};
  // The user's own have a mean, and may be no whole numbers.
  if (const auto* mean = of.as_object().if_contains("mean"))
    made.quantiles.insert(made.quantiles.begin(), {"mean", estimate_of(*mean)});
  const auto* bins = of.as_object().if_contains("histogram");
  // Whole numbers: each bar reaches halfway to its neighbours.
  constexpr double half = 0.5;
  for (const auto& bin : bins == nullptr ? json::array{} : bins->as_array())
    made.bins.push_back({bin.at("from").to_number<double>() - half,
                         bin.at("to").to_number<double>() + half,
                         bin.at("seeds").to_number<double>()});
  return made;
}

std::vector<report_verdict> verdicts_of(const json::object& summary) {
  std::vector<report_verdict> all;
  const auto failed = count_of(summary.at("failed"));
  const auto run = count_of(summary.at("seeds").at("run"));
  if (failed != 0)
    all.push_back({report_tone::bad, fmt::format("{} of {} failed.", failed,
                                                 plural(run, "seed"))});
  else if (run != 0)
    all.push_back({report_tone::good,
                   run == 1
                     ? "The seed passed."
                     : fmt::format("All {} passed.", plural(run, "seed"))});
  if (summary.at("interrupted").as_bool())
    all.push_back({report_tone::bad, "The simulation was interrupted: seeds "
                                     "that had not ended are left out."});
  for (const auto& one : summary.at("properties").as_array()) {
    const auto broken = count_of(one.at("failed"));
    const auto name = words_of(one.at("name"));
    if (broken == 0)
      all.push_back({report_tone::good, "Property " + name + " holds."});
    else
      all.push_back({report_tone::bad, "Property " + name + " is broken by "
                                         + plural(broken, "seed") + '.'});
  }
  return all;
}

std::string percent(const json::value& share) {
  return fmt::format("{:.2f} %", 100 * share.to_number<double>());
}

std::vector<std::pair<std::string, std::string>>
facts_of(const json::object& summary) {
  const auto text = [](const json::value& number) {
    return std::to_string(count_of(number));
  };
  const auto& seeds = summary.at("seeds");
  std::vector<std::pair<std::string, std::string>> facts{
    {"Seeds", text(seeds.at("first")) + " to " + text(seeds.at("last"))},
    {"Completed", text(summary.at("completed"))},
    {"Cancelled", text(summary.at("cancelled"))},
    {"Failed", text(summary.at("failed"))}};
  const auto& unfinished = summary.at("unfinished");
  const auto& share = unfinished.at("share");
  if (!share.at("value").is_null())
    facts.emplace_back("Unfinished (95 %)",
                       fmt::format("{} ({} to {})", percent(share.at("value")),
                                   percent(share.at("low")),
                                   percent(share.at("high"))));
  if (unfinished.at("steps") != 0)
    facts.emplace_back("Steps of plans left open",
                       fmt::format("{} of {}",
                                   text(unfinished.at("steps_open")),
                                   text(unfinished.at("steps"))));
  facts.emplace_back("Digest of all logs", words_of(summary.at("digest")));
  return facts;
}

report_bars outcome_bars(const json::object& outcomes) {
  report_bars bars;
  for (const auto& [status, reasons] : outcomes)
    for (const auto& [condition, seeds] : reasons.as_object())
      bars.bars.push_back(
        {.name = fmt::format("{}: {}", std::string_view{status},
                             std::string_view{condition}),
         .estimate = {.value = number_of(seeds)},
         .tone = status == "completed" ? report_tone::good : report_tone::bad});
  return bars;
}

/// Those that are not 0 throughout.
report_distributions measures_of(const json::object& measures) {
  report_distributions all;
  for (const auto& [name, of] : measures)
    if (of.at("max") != 0 || of.at("min") != 0)
      all.rows.push_back(distribution(name, of));
  return all;
}

std::string note_of(const json::object& measures) {
  std::string note
    = "Over the sessions that ended, one value of each. Intervals cover the "
      "true quantile with a confidence of 95 %: order statistics with binomial "
      "ranks. A session that did not complete takes forever until completion. "
      "Measures that are 0 throughout are left out.";
  bool has_means = false;
  std::string without;
  for (const auto& [name, of] : measures) {
    has_means = has_means || of.as_object().contains("mean");
    const auto* unmeasured = of.as_object().if_contains("unmeasured");
    if (unmeasured != nullptr && *unmeasured != 0)
      without += fmt::format("\n{}: {} without this number.",
                             std::string_view{name},
                             plural(count_of(*unmeasured), "seed"));
  }
  if (has_means)
    note += " Those of means are by Student's t.";
  return note + without;
}

report_table failure_table(const json::array& failures,
                           const std::map<std::uint64_t, std::string>& pages) {
  report_table table{.columns = {{.name = "Seed"},
                                 {.name = "Rule", .is_code = true},
                                 {.name = "What"},
                                 {.name = "Findings"},
                                 {.name = "Inspector", .is_link = true},
                                 {.name = "Reproduced by", .is_code = true}}};
  for (const auto& one : failures) {
    const auto page = pages.find(count_of(one.at("seed")));
    const auto& first = one.at("findings").at(0).as_object();
    // As it is, for it names a run: a number would be rounded.
    table.rows.push_back({std::to_string(count_of(one.at("seed"))),
                          std::string{protocol::text_of(first, "rule")},
                          std::string{protocol::text_of(first, "message")},
                          one.at("findings_total").to_number<double>(),
                          page == pages.end() ? "" : page->second,
                          words_of(one.at("command"))});
  }
  return table;
}

} // namespace

report_page simulation_page(const json::object& summary,
                            const std::map<std::uint64_t, std::string>& pages) {
  report_page page{.title = "Simulation of " + words_of(summary.at("scenario")),
                   .subtitle = "One scenario under many seeds, in virtual time",
                   .verdicts = verdicts_of(summary),
                   .facts = facts_of(summary)};
  const auto& outcomes = summary.at("outcomes").as_object();
  const auto& measures = summary.at("measures").as_object();
  if (!outcomes.empty()) {
    page.parts.push_back(
      {.title = "How sessions ended", .content = outcome_bars(outcomes)});
    page.parts.push_back({.title = "Measures",
                          .note = note_of(measures),
                          .content = measures_of(measures)});
  }
  const auto& unfinished = summary.at("unfinished");
  if (unfinished.at("seeds") != 0)
    page.parts.push_back(
      {.title = "Unfinished sessions",
       .note = "The virtual time that sessions had taken which ended without "
               "being completed: they would have taken longer.",
       .content = report_distributions{
         .rows = {distribution("censored_ms", unfinished.at("censored_ms"))}}});
  add_faults(page, summary);
  const auto& failures = summary.at("failures").as_array();
  if (!failures.empty()) {
    const auto failed = count_of(summary.at("failed"));
    page.parts.push_back(
      {.title = "Failed seeds",
       .note = failed > failures.size() ? fmt::format(
                 "The first {} of {}, each with its first finding.",
                 failures.size(), failed)
                                        : "Each with its first finding.",
       .content = failure_table(failures, pages)});
  }
  page.data = summary;
  return page;
}

} // namespace convene::cli
