#include <convene/cli/commands/simulate/fault_report.hpp>
#include <convene/cli/commands/simulate/shrink_run.hpp>
#include <convene/cli/commands/simulate/simulation_report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/members.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace convene::cli {
namespace {

namespace json = boost::json;

std::string outcome_lines(const json::object& outcomes) {
  std::string all;
  for (const auto& [status, reasons] : outcomes)
    for (const auto& [condition, seeds] : reasons.as_object())
      all += fmt::format("  {} {}: {}\n", seeds.to_number<std::uint64_t>(),
                         std::string_view{status}, neutral(condition));
  return all;
}

/// What the failed seeds break: the properties, and of the others the rules of
/// those that are listed below.
std::string broken_lines(const json::object& summary) {
  std::string all;
  for (const auto& one : summary.at("properties").as_array())
    if (const auto seeds = one.at("failed").to_number<std::uint64_t>();
        seeds != 0)
      all += fmt::format("  {} failed: property {}\n", seeds,
                         neutral(one.at("name").as_string()));
  std::map<std::string, std::size_t> rules;
  for (const auto& one : summary.at("failures").as_array()) {
    const auto& first = one.at("findings").at(0).as_object();
    if (const std::string rule{protocol::text_of(first, "rule")};
        rule != "property")
      ++rules[rule];
  }
  for (const auto& [rule, seeds] : rules)
    all += fmt::format("  {} failed: {}\n", seeds, neutral(rule));
  return all;
}

std::string interrupted_line(const json::object& summary) {
  if (!summary.at("interrupted").as_bool())
    return {};
  const auto& seeds = summary.at("seeds");
  const auto number = [&seeds](std::string_view name) {
    return seeds.at(name).to_number<std::uint64_t>();
  };
  return fmt::format("Interrupted: {} of {} seeds have results\n",
                     number("run"), number("last") - number("first") + 1);
}

std::string text_of_number(const json::value& number) {
  return number.is_null() ? "?"
                          : std::to_string(number.to_number<std::int64_t>());
}

/// `12 (10..15)`; what no data bounds shows as `?`.
std::string quantile_text(const json::value& of, std::string_view beyond) {
  const auto& value = of.at("value");
  return fmt::format("{} ({}..{})",
                     value.is_null() ? std::string{beyond}
                                     : text_of_number(value),
                     text_of_number(of.at("low")),
                     text_of_number(of.at("high")));
}

/// A row for each measure that is not 0 throughout.
std::string measure_rows(const json::object& measures) {
  constexpr auto row = "{:<18} {:>22} {:>22} {:>22}\n";
  auto all = fmt::format(row, "", "median (95%)", "p90 (95%)", "p99 (95%)");
  for (const auto& [name, of] : measures) {
    if (of.at("max") == 0 || of.as_object().contains("mean"))
      continue;
    const auto* const beyond = name == "completion_ms" ? "never" : "?";
    all += fmt::format(row, std::string_view{name},
                       quantile_text(of.at("median"), beyond),
                       quantile_text(of.at("p90"), beyond),
                       quantile_text(of.at("p99"), beyond));
  }
  return all;
}

std::string text_of_decimal(const json::value& number) {
  return number.is_null() ? "?"
                          : fmt::format("{:.6g}", number.to_number<double>());
}

/// A row for each of the user's own, which need not be whole numbers.
std::string own_measure_rows(const json::object& measures) {
  constexpr auto row = "{:<18} {:>34} {:>14} {:>14} {:>14}\n";
  std::string all;
  for (const auto& [name, of] : measures) {
    const auto* mean = of.as_object().if_contains("mean");
    if (mean == nullptr)
      continue;
    if (all.empty())
      all = fmt::format(row, "", "mean (95%)", "median", "p90", "p99");
    all += fmt::format(row, std::string_view{name},
                       fmt::format("{} ({}..{})",
                                   text_of_decimal(mean->at("value")),
                                   text_of_decimal(mean->at("low")),
                                   text_of_decimal(mean->at("high"))),
                       text_of_decimal(of.at("median").at("value")),
                       text_of_decimal(of.at("p90").at("value")),
                       text_of_decimal(of.at("p99").at("value")));
    if (const auto without = of.at("unmeasured").to_number<std::uint64_t>();
        without != 0)
      all += fmt::format("  {} without this number\n", plural(without, "seed"));
  }
  return all;
}

std::string unfinished_line(const json::object& unfinished) {
  const auto seeds = unfinished.at("seeds").to_number<std::uint64_t>();
  const auto open = unfinished.at("steps_open").to_number<std::uint64_t>();
  if (seeds == 0 && open == 0)
    return {};
  const auto& share = unfinished.at("share");
  const auto percent = [&share](std::string_view name) {
    return 100 * share.at(name).to_number<double>();
  };
  const auto steps = unfinished.at("steps").to_number<std::uint64_t>();
  return fmt::format("Unfinished: {}, {:.2f}% ({:.2f}..{:.2f}){}\n",
                     plural(seeds, "seed"), percent("value"), percent("low"),
                     percent("high"),
                     steps == 0 ? ""
                                : fmt::format("; {} of {} steps", open, steps));
}

std::string share_text(const json::value& share) {
  const auto percent = [&share](std::string_view name) {
    return 100 * share.at(name).to_number<double>();
  };
  return share.at("value").is_null()
           ? std::string{}
           : fmt::format(", {:.2f}% ({:.2f}..{:.2f})", percent("value"),
                         percent("low"), percent("high"));
}

std::string property_lines(const json::array& properties) {
  std::string all;
  for (const auto& one : properties)
    all += fmt::format(
      "Property {}: {}\n", neutral(one.at("name").as_string()),
      one.at("failed") == 0
        ? "holds"
        : "broken by "
            + plural(one.at("failed").to_number<std::uint64_t>(), "seed")
            + share_text(one.at("share")));
  return all;
}

std::string failure_lines(const json::object& summary) {
  std::string all;
  const auto& told = summary.at("failures").as_array();
  for (const auto& one : told) {
    const auto& first = one.at("findings").at(0).as_object();
    all += fmt::format("seed {}: {}: {}\n  {}\n",
                       one.at("seed").to_number<std::uint64_t>(),
                       neutral(protocol::text_of(first, "rule")),
                       neutral(protocol::text_of(first, "message")),
                       neutral(one.at("command").as_string()));
  }
  const auto failed = summary.at("failed").to_number<std::uint64_t>();
  if (failed > told.size())
    all += plural(failed - told.size(), "more seed") + " failed\n";
  return all;
}

} // namespace

void add_commands(json::object& summary,
                  const std::vector<std::string>& command) {
  std::string words = "convene simulate";
  for (const auto& word : command)
    words += ' ' + shell_word(word);
  for (auto& one : summary.at("failures").as_array()) {
    const auto seed = std::to_string(one.at("seed").to_number<std::uint64_t>());
    one.as_object().emplace("command",
                            words + " --seeds " + seed + " --out seed-" + seed);
  }
}

std::string simulation_text(const json::object& summary) {
  const auto count = [&summary](std::string_view name) {
    return summary.at(name).to_number<std::uint64_t>();
  };
  const auto& seeds = summary.at("seeds");
  return interrupted_line(summary)
         + fmt::format("{}: {} completed, {} cancelled, {} failed\n",
                       plural(seeds.at("run").to_number<std::uint64_t>(),
                              "seed"),
                       count("completed"), count("cancelled"), count("failed"))
         + outcome_lines(summary.at("outcomes").as_object())
         + broken_lines(summary)
         + (summary.at("outcomes").as_object().empty()
              ? std::string{}
              : measure_rows(summary.at("measures").as_object())
                  + own_measure_rows(summary.at("measures").as_object())
                  + unfinished_line(summary.at("unfinished").as_object()))
         + fault_text(summary)
         + property_lines(summary.at("properties").as_array())
         + failure_lines(summary) + shrunk_text(summary);
}

} // namespace convene::cli
