#include <convene/cli/commands/simulate/fault_page.hpp>

#include <string>
#include <utility>

namespace convene::cli {

namespace json = boost::json;

void add_faults(report_page& page, const json::object& summary) {
  const auto* faults = summary.if_contains("faults");
  if (faults == nullptr)
    return;
  std::string missing;
  for (const auto& kind : faults->at("missing").as_array())
    missing += (missing.empty() ? "" : ", ") + std::string{kind.as_string()};
  if (!missing.empty())
    page.verdicts.push_back(
      {report_tone::bad, "Asked for, and never happened: " + missing + '.'});
  report_table struck{.columns = {{.name = "Fault", .is_code = true},
                                  {.name = "Times"},
                                  {.name = "Seeds"}}};
  for (const auto& [kind, of] : faults->at("struck").as_object())
    struck.rows.push_back({std::string{kind},
                           of.at("times").to_number<double>(),
                           of.at("seeds").to_number<double>()});
  page.parts.push_back(
    {.title = "Faults",
     .note = "Kinds that were asked for: how often they struck, and in how "
             "many seeds.",
     .content = std::move(struck)});
  report_bars reached;
  for (const auto& [state, seeds] : faults->at("sometimes").as_object())
    reached.bars.push_back({.name = std::string{state},
                            .estimate = {.value = seeds.to_number<double>()}});
  page.parts.push_back({.title = "What was reached",
                        .note = "In how many seeds a session came into the "
                                "state at least once.",
                        .content = std::move(reached)});
}

} // namespace convene::cli
